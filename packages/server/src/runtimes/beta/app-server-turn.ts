import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { type JsonRpc, JsonRpcRefusal, JsonRpcSilence } from '../json-rpc.ts'
import { launchAgent } from '../launch-agent.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import { type Hearing, hear } from './app-server-events.ts'
import { beginTurn, type Thread } from './begin-turn.ts'
import type { Codex } from './codex.ts'
import { readNote, removeNote, writeNote } from './codex-home.ts'
import { providerName, toolEnvironment } from './config-toml.ts'
import { vouchForHooks } from './hook-trust.ts'
import { hooksFile } from './hooks.ts'
import { mcpTables } from './mcp-servers.ts'
import { findRollout } from './rollout-files.ts'
import { crashed, judgeEnd, refused } from './turn-end.ts'

/**
 * A turn by `codex app-server`, a process a turn. It names the thread before it gets the prompt, says in so many words
 * how the turn ended, and is gone when we are: then the rollout tells what became of the turn.
 */
export async function startAppServerTurn(codex: Codex, order: TurnOrder): Promise<RunningTurn> {
  const program = await codex.program(order, ['app-server'])
  return launchAgent(order, { ...program, maxLineBytes }, (child) => converse(codex, order, child))
}

/** A command's whole output comes in one line, and codex keeps up to a megabyte of it; escaped it may be six times that. */
const maxLineBytes = 16 * 1024 * 1024

async function converse(codex: Codex, order: TurnOrder, child: Child): Promise<RunningTurn> {
  const hearing = hear(child, order, codex)
  const { rpc } = hearing
  try {
    const threadId = await openThread(codex, order, rpc)
    await Promise.race([hearing.servers.settled(Object.keys(mcpTables(order.equipment.mcpServers))), rpc.ended])
    hearing.follow(await givePrompt(order, rpc, threadId))
    return {
      identity: child.identity,
      ended: finish(child, hearing).then(async (end) => {
        await removeNote(order.conversation, 'named-thread')
        return end
      }),
      // Once the turn has ended the agent is let go, so that its being gone is the answer.
      interrupt: async () => void (await child.stop({ graceMs, ask: hearing.interrupt })),
    }
  } catch (error) {
    const end = await giveUp(child, error)
    return { identity: child.identity, ended: Promise.resolve(end), interrupt: async () => undefined }
  }
}

/** It did not come to a turn. What is not codex's doing rises. */
async function giveUp(child: Child, error: unknown): Promise<TurnEnd> {
  if (error instanceof JsonRpcRefusal) {
    await child.stop({ graceMs: 0 })
    return refused(error.message)
  }
  if (!(error instanceof JsonRpcSilence)) throw error
  await child.stop({ graceMs: 0 })
  return crashed(await child.exited, [error.message, child.stderrTail()].join('\n'))
}

const Opened = z.object({ thread: z.object({ id: z.string() }) })

/** The thread that the prompt goes to, known by name before it does. */
async function openThread(codex: Codex, order: TurnOrder, rpc: JsonRpc): Promise<string> {
  const { conversation } = order
  await rpc.call('initialize', { clientInfo, capabilities })
  rpc.notify('initialized')
  const settings = await threadSettings(codex, order, rpc)
  if (conversation.id !== undefined && !(await isUnused(order, conversation.id))) {
    await rpc.call('thread/resume', { ...settings, threadId: conversation.id, excludeTurns: true })
    return conversation.id
  }
  const { thread } = Opened.parse(await rpc.call('thread/start', settings))
  await writeNote(conversation, 'named-thread', thread.id)
  await order.onNamed(thread.id)
  return thread.id
}

const clientInfo = { name: 'yardmaster', title: 'Yardmaster', version: '1' }

const capabilities = {
  experimentalApi: true,
  requestAttestation: false,
  // Large, often, and nothing that the rollout would not have.
  optOutNotificationMethods: [
    'turn/diff/updated',
    'item/commandExecution/outputDelta',
    'item/fileChange/outputDelta',
    'item/fileChange/patchUpdated',
    'thread/tokenUsage/updated',
    'account/rateLimits/updated',
  ],
}

async function threadSettings(codex: Codex, { conversation, model, equipment }: TurnOrder, rpc: JsonRpc) {
  const cwd = conversation.workingDirectory
  const file = hooksFile(conversation)
  return {
    cwd,
    model,
    modelProvider: providerName(codex.access),
    approvalPolicy: 'never',
    sandbox: 'danger-full-access',
    ...(equipment.instructions !== '' && { developerInstructions: equipment.instructions }),
    config: {
      // Both are also in the file, but there the repository's own configuration goes before them.
      shell_environment_policy: toolEnvironment(codex.access),
      mcp_servers: mcpTables(equipment.mcpServers),
      ...(equipment.hooks.length > 0 && { 'hooks.state': await vouchForHooks(rpc, { hooksFile: file, cwd }) }),
    },
  }
}

/** Named, and nothing more. */
async function isUnused({ conversation }: TurnOrder, id: string): Promise<boolean> {
  return (await findRollout(conversation, id)) === undefined && (await readNote(conversation, 'named-thread')) === id
}

async function givePrompt(order: TurnOrder, rpc: JsonRpc, threadId: string): Promise<Thread> {
  const { conversation, prompt: text, model, equipment } = order
  const turn = await beginTurn(rpc, { threadId, model, text, ...(await newInstructions(order)) })
  await writeNote(conversation, 'instructions', equipment.instructions)
  return turn
}

/** Codex puts instructions into a conversation once. Those of a later turn, if they are others, go beside its prompt. */
async function newInstructions({ conversation, equipment: { instructions } }: TurnOrder) {
  const last = await readNote(conversation, 'instructions')
  if (conversation.id === undefined || last === undefined || last === instructions) return {}
  const value = instructions === '' ? 'The instructions you were given for this session no longer hold.' : instructions
  return { additionalContext: { session_instructions: { kind: 'application', value } } }
}

/** How long an agent that was asked to stop may take before it is told. */
const graceMs = 5000

async function finish(child: Child, hearing: Hearing): Promise<TurnEnd> {
  const heard = await hearing.ending()
  // It runs its hooks for the end of a session now.
  await Promise.race([child.exited, sleep(leaveMs, undefined, { ref: false })])
  // Whatever the agent started goes with it.
  await child.stop({ graceMs })
  return judgeEnd({ ...heard, exit: await child.exited, stderr: child.stderrTail() })
}

const leaveMs = 10_000
