import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { selectCurrentDocuments, sortInDocuments, upsertDocuments } from './document-store.ts'
import { deleteMarks, lockIndexing, selectDue, selectMarks } from './mark-store.ts'
import { documentOf } from './phrase.ts'

/** Small, since whoever deletes one of these sessions waits for us. */
const batchSessions = 200

/** Brings the index up to date for sessions that changed so long ago. False when there is nothing (more) for us to do. */
export async function indexDocuments(app: Pick<App, 'db'>, { settleMs }: { settleMs: number }): Promise<boolean> {
  const due = await selectDue(app.db, 'document', { settleMs, limit: batchSessions })
  if (due.length === 0) return false
  const isDone = await transact(app.db, async (tx) => {
    if (!(await lockIndexing(tx))) return false
    // The marks first: a change that comes between the two looks is seen by the second and keeps its mark.
    const marks = await selectMarks(tx, 'document', due)
    const documents = await selectCurrentDocuments(tx, due, { isHeld: true })
    await upsertDocuments(
      tx,
      documents.map(({ session_id, fields }) => ({ session_id, text: documentOf(fields) })),
    )
    await deleteMarks(tx, marks)
    return true
  })
  if (isDone) await sortInDocuments(app.db)
  return isDone
}
