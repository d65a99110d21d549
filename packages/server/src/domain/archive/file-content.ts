import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Database } from '../../platform/db/database.ts'
import { findEscapedLines } from '../transcripts/transcript.ts'
import { type FileMeasures, type FileSource, selectEscapedText } from './file-store.ts'

/** Runs a query in the caller's way: it may repeat it, or refuse when the work is to end. */
export type Read = <T>(query: () => Promise<T>) => Promise<T>

/** How much of a transcript is in memory at a time. A single line may be longer. */
const batch = { limit: 200, maxBytes: 64 * 1024 }
/** A part that begins within a file reads at most this much, and one batch, before it. */
const markBytes = 4 * 1024 * 1024
const end = Buffer.from('"}\n')

/** The bytes of a file from an offset on. Its object ends with the transcript, one line for each entry, as one string. */
export async function* fileContent(db: Database, file: FileSource, from: number, read: Read): AsyncGenerator<Buffer> {
  const head = Buffer.from(file.head)
  if (from < head.length) yield head.subarray(from)
  const mark = lastMark(file.marks, from - head.length)
  let at = head.length + mark.bytes
  for await (const { bytes } of bodyOf(db, file, mark.after, read)) {
    if (at + bytes.length > from) yield bytes.subarray(Math.max(0, from - at))
    at += bytes.length
  }
  yield end.subarray(Math.max(0, from - at))
}

/** Reads the whole file once for its size and checksums. */
export async function measure(db: Database, file: FileSource, read: Read): Promise<FileMeasures> {
  const sha256 = createHash('sha256')
  let crc = 0
  let size = 0
  const add = (bytes: Buffer): void => {
    sha256.update(bytes)
    crc = crc32(bytes, crc)
    size += bytes.length
  }
  add(Buffer.from(file.head))
  const bodyStart = size
  const marks: number[] = []
  for await (const { last, bytes } of bodyOf(db, file, 0, read)) {
    add(bytes)
    if (size - bodyStart >= (marks.at(-1) ?? 0) + markBytes) marks.push(last, size - bodyStart)
  }
  add(end)
  return { size_bytes: size, crc32: crc, sha256: sha256.digest('hex'), marks }
}

/** `last` is the entry that the bytes end with. */
async function* bodyOf(
  db: Database,
  { id, session_id: sessionId, thread, entry_count: count }: FileSource,
  start: number,
  read: Read,
): AsyncGenerator<{ last: number; bytes: Buffer }> {
  for (let after = start; after < count; ) {
    const found = await read(() =>
      thread === null
        ? selectEscapedText(db, id, after)
        : findEscapedLines(db, { sessionId, thread }, { after, ...batch, limit: Math.min(batch.limit, count - after) }),
    )
    if (!found) throw new Error(`the transcript of session ${sessionId} was deleted while it was read`)
    after = found.last
    yield found
  }
}

/** The last mark at or before this offset in the transcript. Marks are pairs, in order. */
function lastMark(marks: readonly number[], offset: number): { after: number; bytes: number } {
  let found = { after: 0, bytes: 0 }
  for (let at = 0; at + 1 < marks.length; at += 2) {
    const bytes = Number(marks[at + 1])
    if (bytes > offset) break
    found = { after: Number(marks[at]), bytes }
  }
  return found
}
