import { createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import { listUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
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
  const within = conversation.home
  const names = (await listUntrusted(folder, { within })).map(({ name }) => name)
  const threads = names.filter((name) => name.endsWith('.jsonl')).map((name) => basename(name, '.jsonl'))
  return Promise.all(
    threads.map(async (thread) => {
      const path = join(folder, `${thread}.jsonl`)
      if (thread === conversation.id) return { thread: mainThread, path }
      const subagent = await readFacts(join(folder, `${thread}.json`), within)
      return { thread, path, ...(subagent && { subagent }) }
    }),
  )
}

async function readFacts(path: string, within: string): Promise<SubagentFacts | undefined> {
  try {
    return DemoSubagent.safeParse(JSON.parse((await readUntrusted(path, { within })) ?? '')).data
  } catch {
    return undefined // missing, incomplete or refused; the transcript is enough
  }
}

export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const conversationId = idOf(conversation)
  const path = join(transcriptFolder(conversation), `${conversationId}.jsonl`)
  await replaceUntrusted(path, { within: conversation.home }, (draft) =>
    pipeline(Readable.from(terminated(lines)), createWriteStream(draft, { flags: 'wx', mode: 0o600 })),
  )
  return { conversationId, path }
}

async function* terminated(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}
