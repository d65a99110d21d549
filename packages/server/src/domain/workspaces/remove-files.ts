import { removeFolder } from '../../platform/files/remove-folder.ts'
import { sweepMarked } from '../../platform/process/stop.ts'
import { keptFolder } from '../../runtimes/kept-folder.ts'
import { type App, handleJob } from '../app.ts'
import { isSessionGone } from '../sessions/session.ts'
import { clonePath, runtimeHome } from './folders.ts'
import { removeFilesJob } from './remove-files-job.ts'

/**
 * Ends the processes first: one that still writes could create a folder again. Skips a session that exists: a fork
 * enqueues this job as a precaution and then succeeds.
 */
export const removeFiles = handleJob(removeFilesJob, async ({ sessionId, runMarkers }, app) => {
  if (!(await isSessionGone(app.db, sessionId))) return
  for (const marker of runMarkers) await sweepMarked(marker)
  await removeSessionFiles(app, sessionId)
})

export async function removeSessionFiles(app: App, sessionId: number): Promise<void> {
  await app.clones.remove(clonePath(app, sessionId))
  const home = runtimeHome(app, sessionId)
  for (const folder of [home, keptFolder(home)]) await removeFolder(folder)
}
