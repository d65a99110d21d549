import { Readable } from 'node:stream'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { mainThread, type Runtime } from '../../runtimes/runtime.ts'
import { assistantText } from './assistant-text.ts'
import { type ParallelCalls, parallelCalls } from './parallel-calls.ts'
import { renderLine, renderReadable } from './render.ts'
import { findLines, findProgress, selectLastLines, type ThreadKey } from './transcript-store.ts'

export { appendEntries } from './append-entries.ts'
export { shownTexts } from './entry-content.ts'
export { findFirstEntries } from './entry-store.ts'
export { type IngestHooks, ingest } from './ingest.ts'
export { outlineOf } from './line-outline.ts'
export { toolUsesIn } from './tool-uses.ts'
export { transcriptLinesOf } from './transcript-lines.ts'
export {
  findEscapedLines,
  findLines,
  findProgress,
  lockThread,
  updateReadBytes,
} from './transcript-store.ts'
/** The face of the room: a session's conversation as append-only entries. */
export { assistantText }

export async function hasTranscript(db: Database | Transaction, sessionId: number): Promise<boolean> {
  return (await findProgress(db, { sessionId, thread: mainThread })).entry_count > 0
}

/** The stored entries, one line each, as a stream: a transcript may be larger than memory. */
export function transcriptLines(db: Database, sessionId: number): Readable {
  return Readable.from(chunksOf(db, sessionId, { write: (line) => `${line}\n`, between: '' }))
}

/** The rendered entries, separated by empty lines. `readable` converts lines of runtimes with their own entry format. */
export function transcriptText(db: Database, sessionId: number, readable?: Runtime['readable']): Readable {
  return Readable.from(chunksOf(db, sessionId, { write: rendererFor(readable, parallelCalls()), between: '\n' }))
}

function rendererFor(readable: Runtime['readable'], calls?: ParallelCalls): (line: string) => string {
  return (line) => (readable ? renderReadable(readable(line), calls) : renderLine(line, calls))
}

export async function collectText(chunks: Readable): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

/** All stored lines of a thread as one text. */
export async function collectLines(db: Database, key: ThreadKey): Promise<string> {
  let text = ''
  for await (const line of storedLines(db, key)) text += `${line}\n`
  return text
}

/** The last `maxLength` characters of the rendered transcript. */
export async function transcriptTail(
  db: Database,
  sessionId: number,
  { maxLength, readable }: { maxLength: number; readable?: Runtime['readable'] },
): Promise<string> {
  const render = rendererFor(readable)
  const key = { sessionId, thread: mainThread }
  const texts: string[] = []
  let length = 0
  let { entry_count: last } = await findProgress(db, key)
  while (length < maxLength) {
    const rows = await selectLastLines(db, key, { last, limit: batchEntries })
    const first = rows.at(-1)
    if (!first) break
    last = first.sequence - 1
    for (const { line } of rows) {
      const text = render(line)
      if (text === '' || length >= maxLength) continue
      texts.unshift(text)
      length += text.length + 1
    }
  }
  return texts.join('\n').slice(-maxLength)
}

/** What the agent said last; empty if it said nothing lately. */
export async function lastAssistantText(db: Database, sessionId: number): Promise<string> {
  const key = { sessionId, thread: mainThread }
  const { entry_count: last } = await findProgress(db, key)
  for (const { line } of await selectLastLines(db, key, { last, limit: batchEntries })) {
    const text = assistantText(line)
    if (text !== '') return text
  }
  return ''
}

/** Yields the stored lines of a thread up to and including sequence `last`. */
export async function* storedLines(
  db: Database,
  key: ThreadKey,
  last = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  for (let after = 0; after < last; ) {
    const rows = await findLines(db, key, { after, limit: batchEntries })
    if (rows.length === 0) return
    for (const { sequence, line } of rows) {
      if (sequence > last) return
      after = sequence
      yield line
    }
  }
}

const batchEntries = 200

async function* chunksOf(
  db: Database,
  sessionId: number,
  { write, between }: { write(line: string): string; between: string },
): AsyncGenerator<string> {
  const key = { sessionId, thread: mainThread }
  let isFirst = true
  for (let after = 0; ; ) {
    const rows = await findLines(db, key, { after, limit: batchEntries })
    const last = rows.at(-1)
    if (!last) return
    after = last.sequence
    const texts = rows.map(({ line }) => write(line)).filter((text) => text !== '')
    if (texts.length === 0) continue
    yield (isFirst ? '' : between) + texts.join(between)
    isFirst = false
  }
}
