import type { Database } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { completeLines } from './transcript-lines.ts'
import { appendEntries, lockThread, selectProgress, type ThreadKey } from './transcript-store.ts'

/** Whichever comes first ends a batch: few transactions for small lines, bounded memory for large ones. */
const batchLines = 500
const batchBytes = 1024 * 1024

/**
 * Appends what the agent's file has grown by since it was last read. The thread's row says how far that was and is
 * moved in the transaction that stores the lines, so a crash or a second reader can neither lose nor double one. Answers
 * how many entries were added.
 */
export async function ingest(db: Database, key: ThreadKey, path: string): Promise<number> {
  const { read_bytes: from } = await selectProgress(db, key)
  let appended = 0
  let batch: string[] = []
  let size = 0
  let startsAt = from
  let endsAt = from
  const flush = async (): Promise<boolean> => {
    if (batch.length === 0) return true
    const lines = batch.filter((line) => line.trim() !== '')
    const isOurs = await append(db, key, { startsAt, endsAt, lines })
    if (isOurs) appended += lines.length
    batch = []
    size = 0
    startsAt = endsAt
    return isOurs
  }
  for await (const { text, endsAtByte } of completeLines(path, from)) {
    batch.push(text)
    size += text.length
    endsAt = endsAtByte
    if ((batch.length >= batchLines || size >= batchBytes) && !(await flush())) return appended
  }
  await flush()
  return appended
}

/** False when somebody else has read on meanwhile: they have the lines, we drop ours. */
function append(
  db: Database,
  key: ThreadKey,
  { startsAt, endsAt, lines }: { startsAt: number; endsAt: number; lines: string[] },
): Promise<boolean> {
  return transact(db, async (tx) => {
    const progress = await lockThread(tx, key)
    if (progress.read_bytes !== startsAt) return false
    await appendEntries(tx, key, { after: progress.entry_count, lines, readBytes: endsAt })
    return true
  })
}
