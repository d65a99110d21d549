import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Conversation, WrittenTranscript } from '../runtime.ts'
import { type Fields, parseFields, stringOf } from './fields.ts'
import { openCallsCutAt, type WrittenEntry, writtenEntry } from './open-calls.ts'
import { projectFolder } from './session-paths.ts'
import { findTranscript } from './transcript-files.ts'

/**
 * Puts the entries of a conversation where the CLI finds them, as entries of this one and of this working directory.
 * Which of them it goes on from it finds out by itself, from the last one backwards; so abandoned branches may stay, and
 * only a call that never got its result is taken off the end.
 */
export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? randomUUID()
  const folder = await projectFolder(conversation)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${conversationId}.jsonl`)
  const draft = `${path}.partial`
  const file = await open(draft, 'w', 0o600)
  try {
    const entries = await copyEntries(file, lines, { sessionId: conversationId, cwd: conversation.workingDirectory })
    const cutAtByte = openCallsCutAt(entries)
    if (cutAtByte !== undefined) await file.truncate(cutAtByte)
    await file.sync()
  } finally {
    await file.close()
  }
  await removeOthers({ ...conversation, id: conversationId }, path)
  await rename(draft, path)
  return { conversationId, path }
}

type Owner = { sessionId: string; cwd: string }

/** Lines without a uuid are bookkeeping, and tell of a file that this one is not. */
async function copyEntries(file: FileHandle, lines: AsyncIterable<string>, owner: Owner): Promise<WrittenEntry[]> {
  const entries: WrittenEntry[] = []
  let sizeBytes = 0
  for await (const line of lines) {
    const entry = parseFields(line)
    if (!entry || stringOf(entry.uuid) === undefined) continue
    const text = `${JSON.stringify(adopt(entry, owner))}\n`
    await file.write(text)
    entries.push(writtenEntry(entry, sizeBytes))
    sizeBytes += Buffer.byteLength(text)
  }
  return entries
}

/** What was said stays as it was said. What the CLI attached about the place is about the old one, and would mislead. */
function adopt(entry: Fields, { sessionId, cwd }: Owner): Fields {
  const former = stringOf(entry.cwd)
  const moved = former && entry.type === 'attachment' ? relocated(entry, former, cwd) : entry
  return { ...moved, ...('sessionId' in entry && { sessionId }), ...(former !== undefined && { cwd }) }
}

function relocated(entry: Fields, former: string, cwd: string): Fields {
  const inJson = (path: string): string => JSON.stringify(path).slice(1, -1)
  // Whole names only: session-1 is not the beginning of session-12.
  const path = new RegExp(`${inJson(former).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`, 'g')
  return JSON.parse(JSON.stringify(entry).replace(path, () => inJson(cwd)))
}

/** A copy from before the clone moved would be taken for the conversation as well. */
async function removeOthers(conversation: Conversation, path: string): Promise<void> {
  for (
    let other = await findTranscript(conversation);
    other !== undefined;
    other = await findTranscript(conversation)
  ) {
    if (other === path) return
    await rm(other)
  }
}
