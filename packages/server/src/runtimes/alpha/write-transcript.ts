import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { removeUntrusted, replaceUntrusted } from '../../platform/files/untrusted-folder.ts'
import type { Conversation, WrittenTranscript } from '../runtime.ts'
import { type Fields, parseFields, stringOf } from './fields.ts'
import { openCallsCutAt, type WrittenEntry, writtenEntry } from './open-calls.ts'
import { projectFolder } from './session-paths.ts'
import { transcriptPlaces } from './transcript-files.ts'

/**
 * Writes the entries where the CLI finds them, rewritten to this conversation and working directory. The CLI resumes from the
 * last entry and follows its parents, so abandoned branches may stay; only a tool call without a result is cut off the end.
 */
export async function writeTranscript(
  conversation: Conversation,
  lines: AsyncIterable<string>,
): Promise<WrittenTranscript> {
  const conversationId = conversation.id ?? randomUUID()
  const path = join(await projectFolder(conversation), `${conversationId}.jsonl`)
  const within = conversation.home
  // A copy in another project folder, from before the clone moved, could be resumed instead.
  const others = (await transcriptPlaces({ ...conversation, id: conversationId })).filter((other) => other !== path)
  for (const other of others) await removeUntrusted(other, { within })
  await replaceUntrusted(path, { within }, async (draft) => {
    const file = await open(draft, 'wx', 0o600)
    try {
      const entries = await copyEntries(file, lines, { sessionId: conversationId, cwd: conversation.workingDirectory })
      const cutAtByte = openCallsCutAt(entries)
      if (cutAtByte !== undefined) await file.truncate(cutAtByte)
      await file.sync()
    } finally {
      await file.close()
    }
  })
  return { conversationId, path }
}

type Owner = { sessionId: string; cwd: string }

/** Drops lines without a uuid: they are bookkeeping about the old file. */
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

/** Messages stay unchanged. The CLI's attachments describe the old folder and would mislead the model, so their paths change. */
function adopt(entry: Fields, { sessionId, cwd }: Owner): Fields {
  const formerCwd = stringOf(entry.cwd)
  const moved = formerCwd && entry.type === 'attachment' ? relocated(entry, formerCwd, cwd) : entry
  return { ...moved, ...('sessionId' in entry && { sessionId }), ...(formerCwd !== undefined && { cwd }) }
}

function relocated(entry: Fields, formerCwd: string, cwd: string): Fields {
  const inJson = (path: string): string => JSON.stringify(path).slice(1, -1)
  // Whole names only: session-1 must not match in session-12.
  const path = new RegExp(`${inJson(formerCwd).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`, 'g')
  return JSON.parse(JSON.stringify(entry).replace(path, () => inJson(cwd)))
}
