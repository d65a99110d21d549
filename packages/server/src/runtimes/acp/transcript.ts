import { createHash, randomUUID } from 'node:crypto'
import { appendFileSync, createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import {
  type Conversation,
  mainThread,
  type SubagentFacts,
  type TranscriptFile,
  type WrittenTranscript,
} from '../runtime.ts'
import { removeLink } from './session-link.ts'

export type Entry = { type: 'user' | 'assistant'; [field: string]: unknown }

export type Transcript = {
  path: string
  /** Writes one whole line before it returns, so that the transcript has a prompt before the agent gets it. */
  append(entry: Entry): void
}

/** Opens a conversation's transcript for appending. */
export async function openTranscript(home: string, conversationId: string): Promise<Transcript> {
  await mkdir(folderOf(home), { recursive: true, mode: 0o700 })
  const path = pathOf(home, conversationId)
  // A crash may have left an incomplete last line. Terminate it, so that the next entry gets a line of its own.
  if (await hasPartialLine(path)) appendFileSync(path, '\n')
  return writerOf(path, conversationId)
}

/** Opens a subagent's transcript. Synchronous, because the first update about the subagent is written at once. */
export function openSubagentTranscript(
  home: string,
  { conversationId, callId, facts }: { conversationId: string; callId: string; facts: SubagentFacts },
): Transcript {
  const folder = subagentsFolder(home, conversationId)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const thread = `agent-${fileName(callId)}`
  const factsFile = join(folder, `${thread}.json`)
  // A later turn knows no more about the subagent.
  if (!existsSync(factsFile)) writeFileSync(factsFile, JSON.stringify(facts), { mode: 0o600 })
  return writerOf(join(folder, `${thread}.jsonl`), conversationId)
}

function writerOf(path: string, sessionId: string): Transcript {
  return {
    path,
    append(entry) {
      const common = { uuid: randomUUID(), timestamp: new Date().toISOString(), sessionId }
      appendFileSync(path, `${JSON.stringify({ ...common, ...entry })}\n`, { mode: 0o600 })
    },
  }
}

async function hasPartialLine(path: string): Promise<boolean> {
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

/** The conversation's file and one for each subagent that the agent reported. */
export async function transcriptFiles({ id, home }: Conversation): Promise<TranscriptFile[]> {
  if (id === undefined) return []
  const path = pathOf(home, id)
  const isThere = (await stat(path).catch(() => undefined)) !== undefined
  return [...(isThere ? [{ thread: mainThread, path }] : []), ...(await subagentFiles(subagentsFolder(home, id)))]
}

async function subagentFiles(folder: string): Promise<TranscriptFile[]> {
  const names = await readdir(folder).catch(() => [])
  const threads = names.filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl'))
  return Promise.all(
    threads.map(async (thread) => {
      const subagent = await readFacts(join(folder, `${thread}.json`))
      return { thread, path: join(folder, `${thread}.jsonl`), ...(subagent && { subagent }) }
    }),
  )
}

const text = z.string().nullable()
const Facts = z.object({ subagent_type: text, description: text, tool_use_id: text })

async function readFacts(path: string): Promise<SubagentFacts | undefined> {
  const written = await readFile(path, 'utf8').catch(() => '')
  return Facts.safeParse(parse(written)).data
}

/** The protocol cannot import a conversation. The agent starts a new session and gets a recap of this transcript. */
export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? randomUUID()
  // First, so that a crash while writing does not leave the agent in its old session.
  await removeLink(conversation)
  await mkdir(folderOf(conversation.home), { recursive: true, mode: 0o700 })
  const path = pathOf(conversation.home, conversationId)
  await pipeline(Readable.from(withSessionId(lines, conversationId)), createWriteStream(path, { mode: 0o600 }))
  return { conversationId, path }
}

async function* withSessionId(lines: AsyncIterable<string>, sessionId: string): AsyncGenerator<string> {
  for await (const line of lines) {
    const entry = parse(line)
    yield `${entry === undefined ? line : JSON.stringify({ ...entry, sessionId })}\n`
  }
}

/** Whether the line is complete; a crash may have truncated it. */
export function isConversation(line: string): boolean {
  return parse(line) !== undefined
}

function parse(line: string): object | undefined {
  const value = parseJson(line)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

function folderOf(home: string): string {
  return join(home, 'transcripts')
}

function pathOf(home: string, conversationId: string): string {
  return join(folderOf(home), `${fileName(conversationId)}.jsonl`)
}

function subagentsFolder(home: string, conversationId: string): string {
  return join(folderOf(home), `${fileName(conversationId)}.subagents`)
}

/** Agents choose the ids: an id that is not safe as a file name is hashed. */
function fileName(id: string): string {
  return /^\w[\w.-]{0,150}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')
}
