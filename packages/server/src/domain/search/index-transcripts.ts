import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { insertChunks, selectLinesAfter, selectThread, sortIn } from './chunk-store.ts'
import { cutChunks } from './cut-chunks.ts'
import { deleteMarks, lockIndexing, selectDue, selectMarks } from './mark-store.ts'

type Indexer = Pick<App, 'db'>

/** A transaction of well under a second, and a list of new entries that a search reads in passing. */
const batchBytes = 1024 * 1024
const sessionsAtOnce = 50

/**
 * Cuts what was appended so long ago into chunks, a batch of one session after the other. False when there is nothing
 * (more) for us to do. Entries are only read, so whoever appends never waits for it.
 */
export async function indexTranscripts(app: Indexer, { settleMs }: { settleMs: number }): Promise<boolean> {
  const due = await selectDue(app.db, 'transcript', { settleMs, limit: sessionsAtOnce })
  let isAny = false
  for (const sessionId of due) {
    const isOurs = await indexBatch(app, sessionId)
    if (!isOurs) break
    isAny = true
  }
  if (isAny) await sortIn(app.db)
  return isAny
}

/** Chunks, progress and marks change in one transaction: in every moment what has no chunk has a mark. */
export function indexBatch(app: Indexer, sessionId: number, maxBytes = batchBytes): Promise<boolean> {
  return transact(app.db, async (tx) => {
    if (!(await lockIndexing(tx))) return false
    // The marks first: what is appended between the two looks is seen by the second and keeps its mark.
    const marks = await selectMarks(tx, 'transcript', [sessionId])
    const thread = await selectThread(tx, sessionId)
    if (!thread) {
      await deleteMarks(tx, marks)
      return true
    }
    const entries = await selectLinesAfter(tx, sessionId, { after: thread.indexed_count, maxBytes })
    const indexedCount = entries.at(-1)?.sequence ?? thread.indexed_count
    if (entries.length > 0) {
      const chunks = cutChunks(entries.map(({ line }) => line))
      await insertChunks(tx, sessionId, { from: thread.chunk_count, chunks, indexedCount })
    }
    if (indexedCount >= thread.entry_count) await deleteMarks(tx, marks)
    return true
  })
}
