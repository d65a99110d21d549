import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { type JsonRpc, JsonRpcError, JsonRpcNoAnswer } from '../json-rpc.ts'
import { launchAgent } from '../launch-agent.ts'
import { missingServer } from '../mcp-problem.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import { type AppServerEvents, watchAppServer } from './app-server-events.ts'
import { beginTurn, type Thread } from './begin-turn.ts'
import type { Codex } from './codex.ts'
import { readNote, removeNote, writeNote } from './codex-home.ts'
import { providerName, toolEnvironment } from './config-toml.ts'
import { trustHooks } from './hook-trust.ts'
import { hooksFile } from './hooks.ts'
import { mcpTables } from './mcp-servers.ts'
import { timeoutMs as startupMs } from './mcp-startup.ts'
import { findRollout } from './rollout-files.ts'
import { crashed, decideTurnEnd, rejected } from './turn-end.ts'

/**
 * Runs a turn by `codex app-server`, one process per turn. The app server names the thread before it gets the prompt and reports
 * explicitly how the turn ended. It exits when the server dies; recovery then reads the rollout.
 */
export async function startAppServerTurn(codex: Codex, order: TurnOrder): Promise<RunningTurn> {
  const program = await codex.program(order, ['app-server'])
  return launchAgent(order, { ...program, maxLineBytes }, (child) => runTurn(codex, order, child))
}

/** One line may hold a command's whole output: up to a megabyte, which escaping can make six times longer. */
const maxLineBytes = 16 * 1024 * 1024

async function runTurn(codex: Codex, order: TurnOrder, child: Child): Promise<RunningTurn> {
  const events = watchAppServer(child, order, codex)
  const { rpc } = events
  try {
    const threadId = await openThread(codex, order, rpc)
    await waitForServers(order, events)
    events.follow(await sendPrompt(order, rpc, threadId))
    return {
      identity: child.identity,
      ended: finish(child, events).then(async (end) => {
        await removeNote(order.conversation, 'named-thread')
        return end
      }),
      // The driver closes the app server's input when the turn ends, so its exit confirms the interrupt.
      interrupt: async () => void (await child.stop({ graceMs, ask: events.interrupt })),
    }
  } catch (error) {
    const end = await endWithoutTurn(child, error)
    return { identity: child.identity, ended: Promise.resolve(end), interrupt: async () => undefined }
  }
}

/** A server that was too slow in the last turn is not waited for again: a server that hangs would delay every turn. */
async function waitForServers(
  { conversation, equipment, onNotice }: TurnOrder,
  events: AppServerEvents,
): Promise<void> {
  const names = Object.keys(mcpTables(equipment.mcpServers))
  const slow = (await readNote(conversation, 'slow-servers'))?.split('\n') ?? []
  const awaited = names.filter((name) => !slow.includes(name))
  const late = await Promise.race([events.servers.settled(awaited), events.rpc.ended.then(() => [])])
  for (const name of late) onNotice(missingServer(name, lateServer))
  const stillSlow = [...late, ...events.servers.unsettled(names.filter((name) => slow.includes(name)))]
  if (stillSlow.length > 0) await writeNote(conversation, 'slow-servers', stillSlow.join('\n'))
  else await removeNote(conversation, 'slow-servers')
}

const lateServer = `it has not started after ${startupMs / 1000} s. They appear when it is up. If it hangs, start it by hand on this host.`

/** The end of a turn that could not be started. Errors that codex did not cause are rethrown. */
async function endWithoutTurn(child: Child, error: unknown): Promise<TurnEnd> {
  if (error instanceof JsonRpcError) {
    await child.stop({ graceMs: 0 })
    return rejected(error.message)
  }
  if (!(error instanceof JsonRpcNoAnswer)) throw error
  await child.stop({ graceMs: 0 })
  return crashed(await child.exited, [error.message, child.stderrTail()].join('\n'))
}

const Opened = z.object({ thread: z.object({ id: z.string() }) })

/** Opens the thread and stores its id before it gets the prompt. */
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
  // Large and frequent, and the rollout has all of it.
  optOutNotificationMethods: [
    'turn/diff/updated',
    'item/commandExecution/outputDelta',
    'item/fileChange/outputDelta',
    'item/fileChange/patchUpdated',
    'thread/tokenUsage/updated',
  ],
}

async function threadSettings(codex: Codex, order: TurnOrder, rpc: JsonRpc) {
  const { conversation, model, equipment, hasNoTools, ask } = order
  const cwd = conversation.workingDirectory
  const access = codex.access(order)
  const file = hooksFile(conversation)
  return {
    cwd,
    model,
    modelProvider: providerName(access),
    // Codex asks before it changes a file or runs a command that may do more than read.
    approvalPolicy: ask ? 'untrusted' : 'never',
    sandbox: hasNoTools ? 'read-only' : 'danger-full-access',
    ...(equipment.instructions !== '' && { developerInstructions: equipment.instructions }),
    config: {
      // Both are in config.toml too, but there the repository's configuration overrides them.
      shell_environment_policy: toolEnvironment(access),
      mcp_servers: mcpTables(equipment.mcpServers),
      ...(equipment.hooks.length > 0 && { 'hooks.state': await trustHooks(rpc, { hooksFile: file, cwd }) }),
    },
  }
}

/** Whether the thread has an id and no turn yet. */
async function isUnused({ conversation }: TurnOrder, id: string): Promise<boolean> {
  return (await findRollout(conversation, id)) === undefined && (await readNote(conversation, 'named-thread')) === id
}

async function sendPrompt(order: TurnOrder, rpc: JsonRpc, threadId: string): Promise<Thread> {
  const { conversation, prompt: text, model, equipment } = order
  const turn = await beginTurn(rpc, { threadId, model, text, ...(await newInstructions(order)) })
  await writeNote(conversation, 'instructions', equipment.instructions)
  return turn
}

/** Codex reads instructions once per conversation. Changed instructions go with the prompt of a later turn. */
async function newInstructions({ conversation, equipment: { instructions } }: TurnOrder) {
  const last = await readNote(conversation, 'instructions')
  if (conversation.id === undefined || last === undefined || last === instructions) return {}
  const value = instructions === '' ? 'The instructions you were given for this session no longer apply.' : instructions
  return { additionalContext: { session_instructions: { kind: 'application', value } } }
}

/** Grace period after the protocol's interrupt, and again after SIGTERM. */
const graceMs = 5000

async function finish(child: Child, events: AppServerEvents): Promise<TurnEnd> {
  const outcome = await events.outcome()
  // Codex runs its session-end hooks now.
  await Promise.race([child.exited, sleep(exitMs, undefined, { ref: false })])
  // Kill what the agent left running.
  await child.stop({ graceMs })
  return decideTurnEnd({ ...outcome, exit: await child.exited, stderr: child.stderrTail() })
}

const exitMs = 10_000
