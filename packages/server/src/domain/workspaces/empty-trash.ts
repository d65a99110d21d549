import { transact } from '../../platform/db/transact.ts'
import { handleJob } from '../app.ts'
import { note } from '../logs/log.ts'
import { selectSession } from '../sessions/session.ts'
import { emptyTrashJob } from './empty-trash-job.ts'
import { alone } from './open-workspace.ts'
import { removeSessionFiles } from './remove-files.ts'

/** One that was unarchived meanwhile, or archived anew, is not due. Its transcript is stored and stays. */
export const emptyTrash = handleJob(emptyTrashJob, ({ sessionId }, app) =>
  alone(app, sessionId, async () => {
    const session = await selectSession(app.db, { id: sessionId })
    const isDue = session?.status === 'archived' && session.trash_after && session.trash_after <= app.clock.now()
    if (!isDue) return
    await removeSessionFiles(app, sessionId)
    await transact(app.db, (tx) => note(app, tx, sessionId, 'Its time in the trash is over; its files were removed.'))
  }),
)
