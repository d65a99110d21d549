import { childEnvironment } from '../../platform/process/environment.ts'
import { launchAgent } from '../launch-agent.ts'
import type { RunningTurn, Runtime, TurnOrder } from '../runtime.ts'
import { type AcpAgent, usualPatience } from './agent.ts'
import { equip } from './equip.ts'
import { maxMessageBytes } from './message-stream.ts'
import { isConversation, transcriptFiles, writeTranscript } from './transcript.ts'
import { driveTurn } from './turn.ts'
import { usageOf } from './usage.ts'

/**
 * Any agent that speaks the Agent Client Protocol: one process a turn. Where and how such agents keep their
 * conversations is their own business, so what we hear is written down by us, and that is the transcript.
 */
export function acpRuntime(agent: AcpAgent): Runtime {
  return {
    name: agent.name,
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

async function start(agent: AcpAgent, order: TurnOrder): Promise<RunningTurn> {
  const { conversation, equipment } = order
  const program = {
    command: agent.command,
    args: agent.args,
    cwd: conversation.workingDirectory,
    env: childEnvironment({
      pass: agent.passEnvironment,
      // Its own files in a home of the session's own, unless the operator wants one home for all.
      set: { HOME: conversation.home, ...agent.setEnvironment, ...equipment.environment },
      ...(agent.environment && { from: agent.environment }),
    }),
    maxLineBytes: maxMessageBytes,
  }
  return launchAgent(order, program, (child) => {
    const turn = driveTurn({ agent, order, child, patience: agent.patience ?? usualPatience })
    return { identity: child.identity, ended: turn.ended, interrupt: turn.interrupt }
  })
}
