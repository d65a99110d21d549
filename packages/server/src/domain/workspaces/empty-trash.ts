import { transact } from '../../platform/db/transact.ts'
import { handleJob } from '../app.ts'
import { note } from '../logs/log.ts'
import { selectSession } from '../sessions/session.ts'
import { emptyTrashJob } from './empty-trash-job.ts'
import { withWorkspaceLock } from './open-workspace.ts'
import { removeSessionFiles } from './remove-files.ts'

/** Skips a session that was unarchived, or archived again with a later `trash_after`. The stored transcript stays. */
export const emptyTrash = handleJob(emptyTrashJob, ({ sessionId }, app) =>
  withWorkspaceLock(app, sessionId, async () => {
    const session = await selectSession(app.db, { id: sessionId })
    const isDue = session?.status === 'archived' && session.trash_after && session.trash_after <= app.clock.now()
    if (!isDue) return
    await removeSessionFiles(app, sessionId)
    await transact(app.db, (tx) =>
      note(app, tx, sessionId, 'trash_after has passed; the clone and the runtime files were removed.'),
    )
  }),
)
