import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { insertChunks, mergePendingChunks, selectLinesAfter, selectThread } from './chunk-store.ts'
import { cutChunks } from './cut-chunks.ts'
import { deleteMarks, lockIndexing, selectDue, selectMarks } from './mark-store.ts'

type Indexer = Pick<App, 'db'>

/** Keeps the transaction under a second and the index's pending list short. */
const batchBytes = 1024 * 1024
const sessionsAtOnce = 50

/**
 * Indexes entries that were appended at least `settleMs` ago, one batch per session. False when nothing is left to do. It
 * only reads entries, so appending never waits for it.
 */
export async function indexTranscripts(app: Indexer, { settleMs }: { settleMs: number }): Promise<boolean> {
  const due = await selectDue(app.db, 'transcript', { settleMs, limit: sessionsAtOnce })
  let isAny = false
  for (const sessionId of due) {
    const hasLock = await indexBatch(app, sessionId)
    if (!hasLock) break
    isAny = true
  }
  if (isAny) await mergePendingChunks(app.db)
  return isAny
}

/** Chunks, progress and marks change in one transaction, so every entry without a chunk has a mark at any moment. */
export function indexBatch(app: Indexer, sessionId: number, maxBytes = batchBytes): Promise<boolean> {
  return transact(app.db, async (tx) => {
    if (!(await lockIndexing(tx))) return false
    // Marks first: an entry appended between the two queries is read by the second one and keeps its mark.
    const marks = await selectMarks(tx, 'transcript', [sessionId])
    const thread = await selectThread(tx, sessionId)
    if (!thread) {
      await deleteMarks(tx, marks)
      return true
    }
    const entries = await selectLinesAfter(tx, sessionId, { after: thread.indexed_count, maxBytes })
    const indexedCount = entries.at(-1)?.sequence ?? thread.indexed_count
    if (entries.length > 0) {
      const chunks = cutChunks(entries.map(({ line }) => line)).map(({ text, line }) => ({
        text,
        firstEntry: entries[line]?.sequence ?? indexedCount,
      }))
      await insertChunks(tx, sessionId, { from: thread.chunk_count, chunks, indexedCount })
    }
    if (indexedCount >= thread.entry_count) await deleteMarks(tx, marks)
    return true
  })
}
