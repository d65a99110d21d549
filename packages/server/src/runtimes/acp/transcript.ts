import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { appendUntrusted, createUntrusted } from '../../platform/files/append-untrusted.ts'
import { ifUntrusted, readUntrusted } from '../../platform/files/untrusted-file.ts'
import { listUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import { parseJson } from '../../platform/parse-json.ts'
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

/** A conversation's transcript, to append to. An incomplete line of an earlier turn was ended before this turn began. */
export function openTranscript(home: string, conversationId: string): Transcript {
  return writerOf(pathOf(home, conversationId), { home, conversationId })
}

/** Opens a subagent's transcript. Synchronous, because the first update about the subagent is written at once. */
export function openSubagentTranscript(
  home: string,
  { conversationId, callId, facts }: { conversationId: string; callId: string; facts: SubagentFacts },
): Transcript {
  const folder = subagentsFolder(home, conversationId)
  const thread = `agent-${fileName(callId)}`
  // A later turn knows no more about the subagent.
  createUntrusted(join(folder, `${thread}.json`), JSON.stringify(facts), { within: home })
  return writerOf(join(folder, `${thread}.jsonl`), { home, conversationId })
}

function writerOf(path: string, { home, conversationId }: { home: string; conversationId: string }): Transcript {
  return {
    path,
    append(entry) {
      const common = { uuid: randomUUID(), timestamp: new Date().toISOString(), sessionId: conversationId }
      appendUntrusted(path, `${JSON.stringify({ ...common, ...entry })}\n`, { within: home })
    },
  }
}

/** The conversation's file and one for each subagent that the agent reported. */
export async function transcriptFiles({ id, home }: Conversation): Promise<TranscriptFile[]> {
  if (id === undefined) return []
  const path = pathOf(home, id)
  const names = (await listUntrusted(folderOf(home), { within: home })).map(({ name }) => name)
  const main = names.includes(basename(path)) ? [{ thread: mainThread, path }] : []
  return [...main, ...(await subagentFiles(subagentsFolder(home, id), home))]
}

async function subagentFiles(folder: string, within: string): Promise<TranscriptFile[]> {
  const names = (await listUntrusted(folder, { within })).map(({ name }) => name)
  const threads = names.filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl'))
  return Promise.all(
    threads.map(async (thread) => {
      const subagent = await readFacts(join(folder, `${thread}.json`), within)
      return { thread, path: join(folder, `${thread}.jsonl`), ...(subagent && { subagent }) }
    }),
  )
}

const text = z.string().nullable()
const Facts = z.object({ subagent_type: text, description: text, tool_use_id: text })

async function readFacts(path: string, within: string): Promise<SubagentFacts | undefined> {
  const written = await readUntrusted(path, { within }).catch(ifUntrusted(undefined))
  return Facts.safeParse(parse(written ?? '')).data
}

/** The protocol cannot import a conversation. The agent starts a new session and gets a recap of this transcript. */
export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? randomUUID()
  // First, so that a crash while writing does not leave the agent in its old session.
  await removeLink(conversation)
  const path = pathOf(conversation.home, conversationId)
  await replaceUntrusted(path, { within: conversation.home }, (draft) =>
    pipeline(
      Readable.from(withSessionId(lines, conversationId)),
      createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
    ),
  )
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
