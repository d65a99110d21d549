import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { appendEntries } from './append-entries.ts'
import { outlineOf } from './line-outline.ts'
import { type AgentFile, endLastLine, transcriptLinesOf } from './transcript-lines.ts'
import { findProgress, lockThread, type ThreadKey } from './transcript-store.ts'

type IngestApp = Pick<App, 'db' | 'redactor'>

/** The hooks get a long line as its outline (`line-outline.ts`), and do not get a line that has none or is torn. */
export type IngestHooks = {
  /** Asked first in each transaction that stores lines. False if the caller may not store them any more. */
  mayStore(tx: Transaction): Promise<boolean>
  /** False for lines that are not part of the conversation: they are not stored. */
  isKept(line: string): boolean
  /** Writes related rows, such as usage, in the transaction that stores the lines. Gets every line, kept or not. */
  recordAlongside(tx: Transaction, lines: readonly string[]): Promise<void>
}

/** A batch ends at the first limit it reaches: few transactions for small lines, bounded memory for large ones. */
const batchLines = 500
const batchBytes = 1024 * 1024

/**
 * Appends the lines that the agent has added to its file since the last call, redacted. The thread's row holds the read
 * position, which advances in the transaction that stores the lines, so neither a crash nor a concurrent reader can lose
 * or duplicate a line. A file that has become shorter is ignored. Returns the number of lines stored.
 *
 * `isOver` says that no agent writes the file any more. Then a last line without an end is torn: it is stored as a
 * `torn_entry`, and the next line is read by itself.
 */
export async function ingest(
  app: IngestApp,
  key: ThreadKey,
  { isOver = false, ...file }: AgentFile & { isOver?: boolean },
  hooks: IngestHooks,
): Promise<number> {
  const { read_bytes: from } = await findProgress(app.db, key)
  let appended = 0
  let lines: Line[] = []
  let size = 0
  let startsAt = from
  let endsAt = from
  const flush = async (): Promise<boolean> => {
    if (endsAt === startsAt) return true
    const isAppended = await append(app, key, { startsAt, endsAt, lines, hooks })
    if (isAppended) appended += lines.filter(({ isKept }) => isKept).length
    lines = []
    size = 0
    startsAt = endsAt
    return isAppended
  }
  for await (const { text, endsAtByte, isTorn } of transcriptLinesOf(file, { fromByte: from, isOver })) {
    if (text.trim() !== '') {
      const outline = isTorn ? undefined : await outlineOf(text)
      lines.push({ text, outline, isKept: outline === undefined || hooks.isKept(outline) })
    }
    size += text.length
    endsAt = endsAtByte
    if ((lines.length >= batchLines || size >= batchBytes) && !(await flush())) return appended
  }
  if ((await flush()) && isOver) await endLastLine(file)
  return appended
}

type Line = { text: string; outline: string | undefined; isKept: boolean }
type Batch = { startsAt: number; endsAt: number; lines: readonly Line[]; hooks: IngestHooks }

/** False if a concurrent reader has stored these lines meanwhile, or the caller may not store them. */
async function append(app: IngestApp, key: ThreadKey, { startsAt, endsAt, lines, hooks }: Batch): Promise<boolean> {
  const redacted = await app.redactor.lines(lines.filter(({ isKept }) => isKept).map(({ text }) => text))
  const outlines = lines.flatMap(({ outline }) => outline ?? [])
  return transact(app.db, async (tx) => {
    if (!(await hooks.mayStore(tx))) return false
    const progress = await lockThread(tx, key)
    if (progress.read_bytes !== startsAt) return false
    await appendEntries(tx, key, { after: progress.entry_count, lines: redacted, readBytes: endsAt })
    await hooks.recordAlongside(tx, outlines)
    return true
  })
}
