import type { SessionRef } from '@yardmaster/contract/identifiers'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findRunMarkers } from '../inbox/inbox.ts'
import { announceDeletion } from '../notifications/notification.ts'
import { sessionDeleted } from '../sessions/events.ts'
import { deleteSessionRow, selectSessionForDelete } from '../sessions/session.ts'
import { removeFilesJob } from '../workspaces/remove-files-job.ts'

/**
 * Deletes the session with all dependent rows and, in the same transaction, enqueues the job that removes its files, so a
 * crash leaks nothing. A running turn finds its row deleted and stops; the job kills processes that remain.
 */
export async function deleteSession(app: App, ref: SessionRef): Promise<void> {
  await transact(app.db, async (tx) => {
    const { id, host_id } = (await selectSessionForDelete(tx, ref)) ?? refuseMissing()
    const runMarkers = await findRunMarkers(tx, id)
    await announceDeletion(app, tx, id)
    await deleteSessionRow(tx, id)
    if (host_id !== null) await enqueue(tx, removeFilesJob, { sessionId: id, runMarkers }, { hostId: host_id })
    await app.events.publish(tx, sessionDeleted, { sessionId: id, payload: {} })
  })
}
