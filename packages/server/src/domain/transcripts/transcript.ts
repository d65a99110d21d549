import { Readable } from 'node:stream'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { mainThread, type Runtime } from '../../runtimes/runtime.ts'
import { renderLine, renderReadable } from './render.ts'
import { selectLastLines, selectLines, selectProgress, type ThreadKey } from './transcript-store.ts'

/** The face of the room: a session's conversation as append-only entries. */
export { assistantText } from './assistant-text.ts'
export { ingest } from './ingest.ts'
export { toolUsesIn } from './tool-uses.ts'
export { completeLines } from './transcript-lines.ts'
export {
  appendEntries,
  lockThread,
  selectLines as findLines,
  selectProgress as findProgress,
  updateReadBytes,
} from './transcript-store.ts'

export async function hasTranscript(db: Database | Transaction, sessionId: number): Promise<boolean> {
  return (await selectProgress(db, { sessionId, thread: mainThread })).entry_count > 0
}

/** The stored entries, one JSON line each, in pieces: a transcript may be larger than memory. */
export function transcriptLines(db: Database, sessionId: number): Readable {
  return Readable.from(piecesOf(db, sessionId, { write: (line) => `${line}\n`, between: '' }))
}

/** The reading copy: an empty line between two entries. `readable` is for lines that are not entries themselves. */
export function transcriptText(db: Database, sessionId: number, readable?: Runtime['readable']): Readable {
  return Readable.from(piecesOf(db, sessionId, { write: rendererFor(readable), between: '\n' }))
}

function rendererFor(readable: Runtime['readable']): (line: string) => string {
  return readable ? (line) => renderReadable(readable(line)) : renderLine
}

export async function collect(pieces: Readable): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

/** A whole thread, one JSON line each. */
export async function collectLines(db: Database, key: ThreadKey): Promise<string> {
  let text = ''
  for await (const line of storedLines(db, key)) text += `${line}\n`
  return text
}

/** The end of the reading copy, at most so many characters of it: enough to tell where things stand. */
export async function transcriptTail(
  db: Database,
  sessionId: number,
  { maxLength, readable }: { maxLength: number; readable?: Runtime['readable'] },
): Promise<string> {
  const render = rendererFor(readable)
  const key = { sessionId, thread: mainThread }
  const pieces: string[] = []
  let length = 0
  let { entry_count: last } = await selectProgress(db, key)
  while (length < maxLength) {
    const rows = await selectLastLines(db, key, { last, limit: batchEntries })
    const first = rows.at(-1)
    if (!first) break
    last = first.sequence - 1
    for (const { line } of rows) {
      const piece = render(line)
      if (piece === '' || length >= maxLength) continue
      pieces.unshift(piece)
      length += piece.length + 1
    }
  }
  return pieces.join('\n').slice(-maxLength)
}

/** The stored lines of a thread, one by one, up to and including `last`. */
export async function* storedLines(
  db: Database,
  key: ThreadKey,
  last = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  for (let after = 0; after < last; ) {
    const rows = await selectLines(db, key, { after, limit: batchEntries })
    if (rows.length === 0) return
    for (const { sequence, line } of rows) {
      if (sequence > last) return
      after = sequence
      yield line
    }
  }
}

const batchEntries = 200

async function* piecesOf(
  db: Database,
  sessionId: number,
  { write, between }: { write(line: string): string; between: string },
): AsyncGenerator<string> {
  const key = { sessionId, thread: mainThread }
  let isFirst = true
  for (let after = 0; ; ) {
    const rows = await selectLines(db, key, { after, limit: batchEntries })
    const last = rows.at(-1)
    if (!last) return
    after = last.sequence
    const pieces = rows.map(({ line }) => write(line)).filter((piece) => piece !== '')
    if (pieces.length === 0) continue
    yield (isFirst ? '' : between) + pieces.join(between)
    isFirst = false
  }
}
