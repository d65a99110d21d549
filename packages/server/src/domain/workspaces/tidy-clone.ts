import { stat } from 'node:fs/promises'
import { transact } from '../../platform/db/transact.ts'
import { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { GitFailed } from '../../platform/git/git-failed.ts'
import { type App, handleJob } from '../app.ts'
import { note } from '../logs/log.ts'
import { selectSession } from '../sessions/session.ts'
import { clonePath } from './folders.ts'
import { withWorkspaceLock } from './open-workspace.ts'
import { tidyCloneJob } from './tidy-clone-job.ts'

/** Removes a clean clone, which can be made again at any time. Keeps a clone with work in it until `trash_after`. */
export const tidyClone = handleJob(tidyCloneJob, ({ sessionId }, app) =>
  withWorkspaceLock(app, sessionId, async () => {
    const session = await selectSession(app.db, { id: sessionId })
    const path = clonePath(app, sessionId)
    if (session?.status !== 'archived' || !(await stat(path).catch(() => undefined))) return
    const reason = await reasonToKeep(app, path)
    if (reason !== undefined) return noteInLog(app, sessionId, `${reason}; it is kept until trash_after.`)
    await app.clones.remove(path)
    await noteInLog(app, sessionId, 'The clone contained no uncommitted or unpushed work and was removed.')
  }),
)

/** A clone whose state is unknown is not removed. */
async function reasonToKeep(app: App, path: string): Promise<string | undefined> {
  try {
    return (await app.clones.holdsWork(path)) ? 'The clone may contain uncommitted or unpushed work' : undefined
  } catch (error) {
    if (!(error instanceof GitFailed || error instanceof UntrustedFile)) throw error
    return `The clone cannot be searched for work (${error.message})`
  }
}

async function noteInLog(app: App, sessionId: number, sentence: string): Promise<void> {
  await transact(app.db, (tx) => note(app, tx, sessionId, sentence))
}
