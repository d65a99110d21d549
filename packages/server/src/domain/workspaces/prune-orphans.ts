import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { errnoOf } from '../../platform/process/errno.ts'
import type { App } from '../app.ts'
import { isSessionGone } from '../sessions/session.ts'
import { sessionOfFolder } from './folders.ts'
import { withWorkspaceLock } from './open-workspace.ts'
import { recordOrphans } from './orphan-store.ts'
import { removeSessionFiles } from './remove-files.ts'

/** A folder may have millions of files. */
const foldersAtOnce = 20

/**
 * Removes folders of this home that belong to no session, because a delete or a fork did not finish. Only what this host has
 * seen without a session for `days`, by the database's clock, and that has none now, under the lock that a new workspace takes.
 */
export async function pruneOrphans(app: App, { days }: { days: number }): Promise<void> {
  const found = await Promise.all(['clones', 'runtimes'].map((name) => foldersIn(app.home.in(name))))
  const sessionIds = [...new Set(found.flat())]
  const due = await recordOrphans(app.db, { hostId: app.home.hostId, sessionIds, days, limit: foldersAtOnce })
  for (const sessionId of due)
    await withWorkspaceLock(app, sessionId, async () => {
      if (!(await isSessionGone(app.db, sessionId))) return
      await removeSessionFiles(app, sessionId)
      app.log.info({ session_id: sessionId }, 'removed folders of a session that does not exist')
    })
}

/** The sessions that the folders are named after. Links and other names are not ours to remove. */
async function foldersIn(path: string): Promise<number[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown): Dirent[] => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  return entries.flatMap((entry) => (entry.isDirectory() ? (sessionOfFolder(entry.name) ?? []) : []))
}
