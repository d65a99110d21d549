import type { Database } from '../../platform/db/database.ts'
import { findEscapedLines } from '../transcripts/transcript.ts'
import type { FileSource } from './archive-store.ts'

/** How much of a transcript is in memory at a time. A single line may be longer. */
const batch = { limit: 200, maxBytes: 64 * 1024 }
/** Characters of a text that callers sent. */
const sliceLength = 256 * 1024

/** The bytes of a file. Its object ends with the transcript, one line for each entry, as one string. */
export async function* fileContent(db: Database, file: FileSource): AsyncGenerator<Buffer> {
  yield Buffer.from(file.head)
  if (file.text !== null) yield* escapedText(file.text)
  else if (file.thread !== null) yield* escapedEntries(db, file, file.thread)
  yield Buffer.from('"}\n')
}

async function* escapedEntries(
  db: Database,
  { session_id: sessionId, entry_count: count }: FileSource,
  thread: string,
): AsyncGenerator<Buffer> {
  for (let after = 0; after < count; ) {
    const limit = Math.min(batch.limit, count - after)
    const found = await findEscapedLines(db, { sessionId, thread }, { after, ...batch, limit })
    if (!found) throw new Error(`the session ${sessionId} was deleted while its transcript was read`)
    after = found.last
    yield found.bytes
  }
}

function* escapedText(text: string): Generator<Buffer> {
  for (let start = 0; start < text.length; ) {
    // A surrogate pair is not cut in two.
    const end = start + sliceLength + (isHighSurrogate(text, start + sliceLength - 1) ? 1 : 0)
    yield Buffer.from(escaped(text.slice(start, end)))
    start = end
  }
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff
}

/** As a part of a JSON string. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
