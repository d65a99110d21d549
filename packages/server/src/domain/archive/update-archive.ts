import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import { planArchive } from './plan-archive.ts'
import { selectChanged } from './source-store.ts'
import { recordRun, selectProgress } from './state-store.ts'
import { storeSession } from './store-session.ts'

/** How far the archive may be behind. */
export const intervalMs = 10 * 60_000

/** Other maintenance gets its turn after this time; the rest is deferred to the next run, which begins at once. */
const budgetMs = 60_000
/** Sessions that one statement compares with what is stored. */
const sliceSessions = 1000

type Options = { budget?: number; slice?: number }

/**
 * Stores the sessions that changed since they were last stored, and records how much is left. A run passes all sessions once,
 * from where the last one ran out of time, so that none is left behind by others that change or fail in every run.
 */
export async function updateArchive(app: App, signal: AbortSignal, options: Options = {}): Promise<RunResult> {
  const { budget = budgetMs, slice = sliceSessions } = options
  const startedAt = performance.now()
  let { scanned_through: scannedThrough } = await selectProgress(app.db)
  const count = { stored: 0, failed: 0, waiting: 0 }
  for await (const id of changedSessions(app, { begin: scannedThrough, limit: slice, signal })) {
    if (signal.aborted) return 'done'
    if (performance.now() - startedAt >= budget) {
      count.waiting++
      continue
    }
    const isStored = await tryToStore(app, id, signal)
    scannedThrough = id
    count[isStored ? 'stored' : 'failed']++
  }
  if (signal.aborted) return 'done'
  await recordRun(app.db, { ...(await figures(app)), ...leftOver(count), scannedThrough })
  return count.waiting > 0 && count.stored > 0 ? 'again' : 'done'
}

/** By id, beginning after one of them and ending with it. */
async function* changedSessions(
  { db }: App,
  { begin, limit, signal }: { begin: number; limit: number; signal: AbortSignal },
): AsyncGenerator<number> {
  for (const [start, end] of [
    [begin, Number.POSITIVE_INFINITY],
    [0, begin],
  ] as const)
    for (let after: number | undefined = start; after !== undefined && after < end && !signal.aborted; ) {
      const { last, changed }: Awaited<ReturnType<typeof selectChanged>> = await selectChanged(db, { after, limit })
      yield* changed.filter((id) => id <= end)
      after = last
    }
}

async function tryToStore(app: App, id: number, signal: AbortSignal): Promise<boolean> {
  try {
    await storeSession(app, id, signal)
    return true
  } catch (error) {
    if (!signal.aborted)
      app.log.error({ err: error, session_id: id }, 'a session could not be stored in the transcript archive')
    return false
  }
}

async function figures(app: App): Promise<{ session_count: number; file_size_bytes: number }> {
  const { generation } = await selectProgress(app.db)
  const { sessionCount, sizeBytes } = await planArchive(app, { generation, filters: {} }, app.clock.now())
  return { session_count: sessionCount, file_size_bytes: sizeBytes }
}

function leftOver({ waiting, failed }: { waiting: number; failed: number }) {
  const reasons = [
    waiting > 0 ? `${waiting} changed sessions wait for the next run` : undefined,
    failed > 0 ? `${failed} sessions could not be stored; the log says why` : undefined,
  ].filter((each) => each !== undefined)
  return { deferred_count: waiting + failed, incomplete_reason: reasons.length === 0 ? null : reasons.join('; ') }
}
