import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Conversation, WrittenTranscript } from '../runtime.ts'
import { codexHome, ifMissing, removeNote } from './codex-home.ts'
import { findRollout, rolloutFolder } from './rollout-files.ts'
import { isContext, type RolloutLine, readRolloutLine } from './rollout-line.ts'
import { newThreadId } from './thread-id.ts'

/**
 * Writes a rollout from which codex goes on as this conversation, wherever its lines come from. What was said and done
 * is taken over; what codex makes by itself, it makes anew for the folder, the tools and the instructions there are now.
 */
export async function writeRollout(
  conversation: Conversation,
  lines: AsyncIterable<string>,
  provider: string,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? newThreadId()
  const path =
    (await findRollout(conversation, conversationId)) ?? rolloutPath(conversation, conversationId, new Date())
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const head = headOf(conversation, conversationId, provider)
  await pipeline(Readable.from(rewritten(head, lines)), createWriteStream(path, { mode: 0o600 }))
  await forget(conversation)
  return { conversationId, path }
}

function rolloutPath(conversation: Conversation, threadId: string, now: Date): string {
  const [day = '', time = ''] = now.toISOString().slice(0, 19).split('T')
  const name = `rollout-${day}T${time.replaceAll(':', '-')}-${threadId}.jsonl`
  return join(rolloutFolder(conversation), ...day.split('-'), name)
}

/** The first line, by which codex knows whose rollout it is. */
function headOf({ workingDirectory }: Conversation, threadId: string, provider: string): Record<string, unknown> {
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

/** The version of codex whose rollouts these are like. */
const formatVersion = '0.166.0'

async function* rewritten(head: Record<string, unknown>, lines: AsyncIterable<string>): AsyncGenerator<string> {
  const open = new Map<string, string>()
  let ordinal = 0
  const written = (entry: Record<string, unknown>): string => {
    const { timestamp, ordinal: _, type, payload, ...rest } = entry
    const text = JSON.stringify({ timestamp, ordinal, type, payload, ...rest })
    ordinal += 1
    return `${text}\n`
  }
  yield written(head)
  for await (const line of lines) {
    const entry = readRolloutLine(line)
    if (!entry || !isTakenOver(entry)) continue
    noteCall(open, entry)
    yield written(entry)
  }
  for (const [callId, type] of open) yield written(aborted(callId, type))
}

/** Messages, thoughts, calls with their results, and what a compaction made of them. */
function isTakenOver(entry: RolloutLine): boolean {
  return entry.type === 'compacted' || (entry.type === 'response_item' && !isContext(entry))
}

/** The calls that wait for their result. */
function noteCall(open: Map<string, string>, { type, payload }: RolloutLine): void {
  const { type: kind = '', call_id: callId } = payload
  if (type !== 'response_item' || typeof callId !== 'string') return
  if (kind.endsWith('_output')) open.delete(callId)
  else if (kind.endsWith('_call')) open.set(callId, kind)
}

/** A model does not take a conversation in which a call stands without a result. */
function aborted(callId: string, callType: string): Record<string, unknown> {
  // The shell call of old models has the output of a function call.
  const type = callType === 'local_shell_call' ? 'function_call_output' : `${callType}_output`
  return {
    timestamp: new Date().toISOString(),
    type: 'response_item',
    payload: { type, call_id: callId, output: 'aborted' },
  }
}

/** Codex's own databases know threads by where their rollouts were. They are made anew from what there is. */
async function forget(conversation: Conversation): Promise<void> {
  const folder = codexHome(conversation)
  for (const name of (await readdir(folder).catch(ifMissing)) ?? []) {
    if (/\.sqlite(-shm|-wal)?$/.test(name)) await rm(join(folder, name), { force: true })
  }
  await removeNote(conversation, 'instructions')
}
