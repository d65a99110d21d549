import { stat } from 'node:fs/promises'
import { transact } from '../../platform/db/transact.ts'
import { noAccess, runGit } from '../../platform/git/git.ts'
import { type App, handleJob } from '../app.ts'
import { note } from '../logs/log.ts'
import { selectSession } from '../sessions/session.ts'
import { clonePath } from './folders.ts'
import { alone } from './open-workspace.ts'
import { tidyCloneJob } from './tidy-clone-job.ts'

/** A clean clone can be made again at any time and goes; one with work in it stays until `trash_after`. */
export const tidyClone = handleJob(tidyCloneJob, ({ sessionId }, app) =>
  alone(app, sessionId, async () => {
    const session = await selectSession(app.db, { id: sessionId })
    const path = clonePath(app, sessionId)
    if (session?.status !== 'archived' || !(await stat(path).catch(() => undefined))) return
    if (await holdsWork(path)) {
      await say(
        app,
        sessionId,
        'Its clone holds changes or commits that are nowhere else; it is kept until trash_after.',
      )
      return
    }
    await app.clones.remove(path)
    await say(app, sessionId, 'Its clone had nothing of its own and was removed.')
  }),
)

/** Anything git cannot tell us counts as work: what we do not understand we do not delete. */
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

async function say(app: App, sessionId: number, sentence: string): Promise<void> {
  await transact(app.db, (tx) => note(app, tx, sessionId, sentence))
}
