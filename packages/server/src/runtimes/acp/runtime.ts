import { childEnvironment } from '../../platform/process/environment.ts'
import { toolLoading, unattended } from '../claude-code/variables.ts'
import { launchAgent } from '../launch-agent.ts'
import type { RunningTurn, Runtime, TurnOrder } from '../runtime.ts'
import { type AcpAgent, defaultTimeouts, keyNamesOf } from './agent.ts'
import { acpCli } from './agent-cli.ts'
import { claudeOptions } from './claude-agent.ts'
import { equip } from './equip.ts'
import { maxMessageBytes } from './message-stream.ts'
import { isConversation, transcriptFiles, writeTranscript } from './transcript.ts'
import { descendantGraceMs, runTurn } from './turn.ts'
import { usageOf } from './usage.ts'

/**
 * Any agent that speaks the Agent Client Protocol, one process per turn. Each agent stores its conversations in its own way, so
 * the driver writes the transcript itself, from the agent's messages.
 */
export function acpRuntime(agent: AcpAgent): Runtime {
  const [keyVariable] = keyNamesOf(agent)
  return {
    name: agent.name,
    cli: acpCli(agent),
    ...(keyVariable !== undefined && { providerKeyVariable: keyVariable }),
    // Each agent has its own, and says which only when a session is open.
    commands: [],
    reportsWholeTurns: true,
    models: () => agent.models,
    newConversationId: () => undefined,
    equip: (conversation, equipment) => equip(conversation, equipment, agent.name),
    start: (order) => start(agent, order),
    transcriptFiles,
    writeTranscript,
    showsReceipt: isConversation,
    isWorthKeeping: isConversation,
    usageOf,
  }
}

/** A stored key goes before one of the environment: a person set it later. A session's own variable goes before both. */
function storedKey(agent: AcpAgent, { providerKey }: TurnOrder): Record<string, string> {
  const [name] = keyNamesOf(agent)
  return name === undefined || providerKey === undefined ? {} : { [name]: providerKey }
}

async function start(agent: AcpAgent, order: TurnOrder): Promise<RunningTurn> {
  const { conversation, equipment } = order
  const env = childEnvironment({
    pass: agent.passEnvironment,
    // Each session has its own HOME, unless the operator sets one for all.
    set: {
      ...unattended,
      ...toolLoading(order.hasAllToolsAtOnce),
      HOME: conversation.home,
      ...agent.setEnvironment,
      ...storedKey(agent, order),
      ...equipment.environment,
    },
    ...(agent.environment && { from: agent.environment }),
  })
  const sessionMeta = await claudeOptions(conversation, env)
  const program = {
    command: agent.command,
    args: agent.args,
    cwd: conversation.workingDirectory,
    env,
    maxLineBytes: maxMessageBytes,
    lingerMs: descendantGraceMs,
  }
  return launchAgent(order, program, (child) => {
    const turn = runTurn({ agent, order, child, sessionMeta, timeouts: agent.timeouts ?? defaultTimeouts })
    return { identity: child.identity, ended: turn.ended, interrupt: turn.interrupt }
  })
}
