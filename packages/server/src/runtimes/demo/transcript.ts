import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errnoOf } from '../../platform/process/errno.ts'
import {
  type Conversation,
  mainThread,
  type SubagentFacts,
  type TranscriptFile,
  type WrittenTranscript,
} from '../runtime.ts'
import { DemoSubagent } from './protocol.ts'

export function idOf({ id }: Conversation): string {
  if (id === undefined) throw new Error('a demo conversation has an id before its first turn')
  return id
}

export function transcriptFolder(conversation: Conversation): string {
  return join(conversation.home, 'transcripts')
}

/** The main file is named after the conversation; each subagent has a file of its own beside it. */
export async function transcriptFiles(conversation: Conversation): Promise<TranscriptFile[]> {
  const folder = transcriptFolder(conversation)
  const names = await readdir(folder).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  const threads = names.filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl'))
  return Promise.all(
    threads.map(async (thread) => {
      const path = join(folder, `${thread}.jsonl`)
      if (thread === conversation.id) return { thread: mainThread, path }
      const subagent = await readFacts(join(folder, `${thread}.json`))
      return { thread, path, ...(subagent && { subagent }) }
    }),
  )
}

async function readFacts(path: string): Promise<SubagentFacts | undefined> {
  try {
    return DemoSubagent.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch {
    return undefined // missing or incomplete; the transcript is enough
  }
}

export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const folder = transcriptFolder(conversation)
  await mkdir(folder, { recursive: true })
  const conversationId = idOf(conversation)
  const path = join(folder, `${conversationId}.jsonl`)
  await pipeline(Readable.from(terminated(lines)), createWriteStream(path))
  return { conversationId, path }
}

async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}
