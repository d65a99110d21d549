import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { mergePendingDocuments, selectCurrentDocuments, upsertDocuments } from './document-store.ts'
import { deleteMarks, lockIndexing, selectDue, selectMarks } from './mark-store.ts'
import { documentOf } from './phrase.ts'

/** Small, because deleting one of these sessions waits for the transaction. */
const batchSessions = 200

/** Indexes sessions that changed at least `settleMs` ago. False when nothing is left to do. */
export async function indexDocuments(app: Pick<App, 'db'>, { settleMs }: { settleMs: number }): Promise<boolean> {
  const due = await selectDue(app.db, 'document', { settleMs, limit: batchSessions })
  if (due.length === 0) return false
  const isDone = await transact(app.db, async (tx) => {
    if (!(await lockIndexing(tx))) return false
    // Marks first: a change between the two queries is read by the second one and keeps its mark.
    const marks = await selectMarks(tx, 'document', due)
    const documents = await selectCurrentDocuments(tx, due, { isLocked: true })
    await upsertDocuments(
      tx,
      documents.map(({ session_id, fields }) => ({ session_id, text: documentOf(fields) })),
    )
    await deleteMarks(tx, marks)
    return true
  })
  if (isDone) await mergePendingDocuments(app.db)
  return isDone
}
