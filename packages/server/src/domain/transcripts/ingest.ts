import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { completeLines } from './transcript-lines.ts'
import { appendEntries, lockThread, selectProgress, type ThreadKey } from './transcript-store.ts'

type Reader = Pick<App, 'db' | 'redactor'>

export type Reading = {
  /** Lines that tell nothing of the conversation are not stored. */
  isKept(line: string): boolean
  /** What else is to be written in the transaction that stores the lines, such as what they cost. Gets every line. */
  alongside(tx: Transaction, lines: readonly string[]): Promise<void>
}

/** Whichever comes first ends a batch: few transactions for small lines, bounded memory for large ones. */
const batchLines = 500
const batchBytes = 1024 * 1024

/**
 * Appends what the agent's file has grown by since it was last read. The thread's row says how far that was and is
 * moved in the transaction that stores the lines, so a crash or a second reader can neither lose nor double one. What
 * is stored is redacted first; a file that has become shorter is left alone.
 */
export async function ingest(app: Reader, key: ThreadKey, path: string, reading: Reading): Promise<number> {
  const { read_bytes: from } = await selectProgress(app.db, key)
  let appended = 0
  let lines: string[] = []
  let size = 0
  let startsAt = from
  let endsAt = from
  const flush = async (): Promise<boolean> => {
    if (endsAt === startsAt) return true
    const isOurs = await append(app, key, { startsAt, endsAt, lines, reading })
    if (isOurs) appended += lines.filter(reading.isKept).length
    lines = []
    size = 0
    startsAt = endsAt
    return isOurs
  }
  for await (const { text, endsAtByte } of completeLines(path, from)) {
    if (text.trim() !== '') lines.push(text)
    size += text.length
    endsAt = endsAtByte
    if ((lines.length >= batchLines || size >= batchBytes) && !(await flush())) return appended
  }
  await flush()
  return appended
}

type Batch = { startsAt: number; endsAt: number; lines: readonly string[]; reading: Reading }

/** False when somebody else has read on meanwhile: they have the lines, we drop ours. */
function append(app: Reader, key: ThreadKey, { startsAt, endsAt, lines, reading }: Batch): Promise<boolean> {
  const redacted = lines.filter(reading.isKept).map((line) => app.redactor.jsonLine(line))
  return transact(app.db, async (tx) => {
    const progress = await lockThread(tx, key)
    if (progress.read_bytes !== startsAt) return false
    await appendEntries(tx, key, { after: progress.entry_count, lines: redacted, readBytes: endsAt })
    await reading.alongside(tx, lines)
    return true
  })
}
