import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import {
  countChanged,
  deleteEmptied,
  recordFailure,
  recordRun,
  selectChanged,
  selectFiles,
  selectNow,
} from './archive-store.ts'
import { planArchive } from './plan-archive.ts'
import { storeSession } from './store-session.ts'

/** How far the archive may be behind. */
export const intervalMs = 10 * 60_000

/** Other maintenance gets its turn after this time; the rest is deferred to the next run, which begins at once. */
const budgetMs = 60_000
const batchSessions = 100

/** Stores the sessions that changed since they were last stored, and records how much is left. */
export async function updateArchive(
  app: App,
  signal: AbortSignal,
  { budget = budgetMs }: { budget?: number } = {},
): Promise<RunResult> {
  const startedAt = performance.now()
  const isOver = (): boolean => signal.aborted || performance.now() - startedAt >= budget
  await deleteEmptied(app.db)
  const triedBefore = await selectNow(app.db)
  let stored = 0
  const failed: number[] = []
  for (let ids = await next(app, triedBefore); ids.length > 0 && !isOver(); ids = await next(app, triedBefore)) {
    for (const id of ids) {
      if (isOver()) break
      await storeSession(app, id).then(
        () => stored++,
        async (error: unknown) => {
          failed.push(id)
          app.log.error({ err: error, session_id: id }, 'a session could not be stored in the transcript archive')
          await recordFailure(app.db, id)
        },
      )
    }
  }
  const waiting = await countChanged(app.db, { triedBefore })
  await recordRun(app.db, {
    ...(await figures(app)),
    deferred_count: waiting + failed.length,
    incomplete_reason: reasonOf(waiting, failed.length),
  })
  return waiting > 0 && stored > 0 && !signal.aborted ? 'again' : 'done'
}

function next({ db }: App, triedBefore: string): Promise<number[]> {
  return selectChanged(db, { triedBefore, limit: batchSessions })
}

async function figures(app: App): Promise<{ session_count: number; file_size_bytes: number }> {
  const { sessionIds, zip } = await planArchive(app, await selectFiles(app.db), { generatedAt: app.clock.now() })
  return { session_count: sessionIds.length, file_size_bytes: zip.sizeBytes }
}

function reasonOf(waiting: number, failed: number): string | null {
  const reasons = [
    waiting > 0 ? `${waiting} changed sessions wait for the next run` : undefined,
    failed > 0 ? `${failed} sessions could not be stored; the log says why` : undefined,
  ].filter((each) => each !== undefined)
  return reasons.length === 0 ? null : reasons.join('; ')
}
