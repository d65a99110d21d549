import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { listUntrusted, removeUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Conversation, WrittenTranscript } from '../runtime.ts'
import { codexHome, removeNote } from './codex-home.ts'
import { findRollout, rolloutFolder } from './rollout-files.ts'
import { isContext, type RolloutLine, readRolloutLine } from './rollout-line.ts'
import { newThreadId } from './thread-id.ts'

/**
 * Writes a rollout from which codex resumes as this conversation. It takes over messages and tool calls; codex regenerates the
 * rest for the current folder, tools and instructions.
 */
export async function writeRollout(
  conversation: Conversation,
  lines: AsyncIterable<string>,
  provider: string,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? newThreadId()
  const path =
    (await findRollout(conversation, conversationId)) ?? rolloutPath(conversation, conversationId, new Date())
  const header = headerOf(conversation, conversationId, provider)
  await replaceUntrusted(path, { within: conversation.home }, (draft) =>
    pipeline(Readable.from(rewritten(header, lines)), createWriteStream(draft, { flags: 'wx', mode: 0o600 })),
  )
  await removeIndexes(conversation)
  return { conversationId, path }
}

function rolloutPath(conversation: Conversation, threadId: string, now: Date): string {
  const [day = '', time = ''] = now.toISOString().slice(0, 19).split('T')
  const name = `rollout-${day}T${time.replaceAll(':', '-')}-${threadId}.jsonl`
  return join(rolloutFolder(conversation), ...day.split('-'), name)
}

/** The first line, which identifies the thread. */
function headerOf({ workingDirectory }: Conversation, threadId: string, provider: string): Record<string, unknown> {
  const timestamp = new Date().toISOString()
  return {
    timestamp,
    type: 'session_meta',
    payload: {
      id: threadId,
      session_id: threadId,
      timestamp,
      cwd: workingDirectory,
      originator: 'yardmaster',
      cli_version: formatVersion,
      source: 'vscode',
      model_provider: provider,
      history_mode: 'paginated',
    },
  }
}

/** The version of codex whose rollout format this is. */
const formatVersion = '0.166.0'

async function* rewritten(header: Record<string, unknown>, lines: AsyncIterable<string>): AsyncGenerator<string> {
  const openCalls = new Map<string, string>()
  let ordinal = 0
  const serialize = (entry: Record<string, unknown>): string => {
    const { timestamp, ordinal: _, type, payload, ...rest } = entry
    const text = JSON.stringify({ timestamp, ordinal, type, payload, ...rest })
    ordinal += 1
    return `${text}\n`
  }
  yield serialize(header)
  for await (const line of lines) {
    const entry = readRolloutLine(line)
    if (!entry || !isConversation(entry)) continue
    trackCall(openCalls, entry)
    yield serialize(entry)
  }
  for (const [callId, type] of openCalls) yield serialize(aborted(callId, type))
}

/** Messages, reasoning, calls with their results, and compaction summaries. */
function isConversation(entry: RolloutLine): boolean {
  return entry.type === 'compacted' || (entry.type === 'response_item' && !isContext(entry))
}

/** Keeps track of the calls without a result. */
function trackCall(openCalls: Map<string, string>, { type, payload }: RolloutLine): void {
  const { type: kind = '', call_id: callId } = payload
  if (type !== 'response_item' || typeof callId !== 'string') return
  if (kind.endsWith('_output')) openCalls.delete(callId)
  else if (kind.endsWith('_call')) openCalls.set(callId, kind)
}

/** A result for a call that has none: models reject a conversation with an open call. */
function aborted(callId: string, callType: string): Record<string, unknown> {
  // The result of an old model's shell call is a function call's result.
  const type = callType === 'local_shell_call' ? 'function_call_output' : `${callType}_output`
  return {
    timestamp: new Date().toISOString(),
    type: 'response_item',
    payload: { type, call_id: callId, output: 'aborted' },
  }
}

/** Codex's databases record where rollouts were. Codex rebuilds them from the files. */
async function removeIndexes(conversation: Conversation): Promise<void> {
  const folder = codexHome(conversation)
  const within = conversation.home
  for (const { name } of await listUntrusted(folder, { within })) {
    if (/\.sqlite(-shm|-wal)?$/.test(name)) await removeUntrusted(join(folder, name), { within })
  }
  await removeNote(conversation, 'instructions')
}
