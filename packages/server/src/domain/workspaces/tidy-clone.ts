import { stat } from 'node:fs/promises'
import { transact } from '../../platform/db/transact.ts'
import { noAccess, runGit } from '../../platform/git/git.ts'
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
    if (await holdsWork(path)) {
      await noteInLog(
        app,
        sessionId,
        'The clone may contain uncommitted or unpushed work; it is kept until trash_after.',
      )
      return
    }
    await app.clones.remove(path)
    await noteInLog(app, sessionId, 'The clone contained no uncommitted or unpushed work and was removed.')
  }),
)

/** A git error counts as work: a clone whose state is unknown is not deleted. */
async function holdsWork(path: string): Promise<boolean> {
  try {
    const changes = await git(path, 'status', ['--porcelain', '--ignored=no'])
    const unpushed = await git(path, 'log', ['--branches', '--not', '--remotes', '--format=%H', '--max-count=1'])
    const stashed = await git(path, 'stash', ['list'])
    return `${changes}${unpushed}${stashed}`.trim() !== ''
  } catch {
    return true
  }
}

function git(cwd: string, subcommand: string, options: string[]): Promise<string> {
  return runGit({
    operation: 'Looking for work in a clone',
    subcommand,
    options,
    cwd,
    access: noAccess,
    timeoutMs: 60_000,
  })
}

async function noteInLog(app: App, sessionId: number, sentence: string): Promise<void> {
  await transact(app.db, (tx) => note(app, tx, sessionId, sentence))
}
