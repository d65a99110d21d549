import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, createWriteStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errnoOf } from '../../platform/process/errno.ts'
import { type Conversation, mainThread, type TranscriptFile, type WrittenTranscript } from '../runtime.ts'
import { removeLink } from './session-link.ts'

export type Entry = { type: 'user' | 'assistant'; [field: string]: unknown }

export type Transcript = {
  path: string
  /** One whole line, and on disk as far as the system is concerned when it returns: a prompt is there before it is sent. */
  append(entry: Entry): void
}

/** Of a conversation, to be continued. */
export async function openTranscript(home: string, conversationId: string): Promise<Transcript> {
  await mkdir(folderOf(home), { recursive: true, mode: 0o700 })
  const path = pathOf(home, conversationId)
  // Whoever died over a line before us left it without an end. It stays a line by itself, of no meaning to anybody.
  if (await breaksOff(path)) appendFileSync(path, '\n')
  return {
    path,
    append(entry) {
      const common = { uuid: randomUUID(), timestamp: new Date().toISOString(), sessionId: conversationId }
      appendFileSync(path, `${JSON.stringify({ ...common, ...entry })}\n`, { mode: 0o600 })
    },
  }
}

async function breaksOff(path: string): Promise<boolean> {
  const file = await open(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (!file) return false
  try {
    const { size } = await file.stat()
    if (size === 0) return false
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
    return buffer[0] !== newline
  } finally {
    await file.close()
  }
}

const newline = 0x0a

/** The protocol shows a subagent's work as its parent's tool call, so there is one file. */
export async function transcriptFiles({ id, home }: Conversation): Promise<TranscriptFile[]> {
  if (id === undefined) return []
  const path = pathOf(home, id)
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  return isThere ? [{ thread: mainThread, path }] : []
}

/** The agent cannot be made to know a conversation that it had no part in. It begins anew, with a recap of this. */
export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? randomUUID()
  // First of all: with half a transcript the agent must not go on in the old session either.
  await removeLink(conversation)
  await mkdir(folderOf(conversation.home), { recursive: true, mode: 0o700 })
  const path = pathOf(conversation.home, conversationId)
  await pipeline(Readable.from(adopted(lines, conversationId)), createWriteStream(path, { mode: 0o600 }))
  return { conversationId, path }
}

async function* adopted(lines: AsyncIterable<string>, sessionId: string): AsyncGenerator<string> {
  for await (const line of lines) {
    const entry = parse(line)
    yield `${entry === undefined ? line : JSON.stringify({ ...entry, sessionId })}\n`
  }
}

/** All but what broke off when somebody died over it. */
export function isConversation(line: string): boolean {
  return parse(line) !== undefined
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function folderOf(home: string): string {
  return join(home, 'transcripts')
}

/** Named after the conversation. Ids are the agents' own, so one that could mean another place gets another name. */
function pathOf(home: string, conversationId: string): string {
  const isPlain = /^\w[\w.-]{0,150}$/.test(conversationId)
  const name = isPlain ? conversationId : createHash('sha256').update(conversationId).digest('hex')
  return join(folderOf(home), `${name}.jsonl`)
}
