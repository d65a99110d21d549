import type { Database } from '../db/database.ts'
import type { RunResult } from '../jobs/periodic.ts'
import type { Log } from '../log/log.ts'
import { RemoteFailed } from '../remote-failed.ts'
import { selectPoller, upsertFailure, upsertSuccess } from './poller-store.ts'

/** The pauses after failed polls in a row, in seconds. After the last one the poll reports a fault and starts over. */
const pausesSeconds = [30, 60, 120, 240, 480]
/** The longest delay that an external system can impose. */
const maxRetryAfterSeconds = 600
/** A system that keeps answering incompletely is reported after this many polls in a row. */
const maxIncomplete = 5
/** Longer than this without a successful poll is logged as an error. */
const silenceMs = 15 * 60_000

type Poller = { db: Database; log: Log }

/**
 * Runs one poll of an external system unless an earlier one postponed it. A system that throttles, hangs or is unreachable
 * postpones the next poll, on every host; nothing is lost, because cursors move only past what was handled. The fifth
 * failure in a row is thrown, so that it is logged, counted and kept for health.
 */
export async function poll({ db, log }: Poller, name: string, work: () => Promise<void>): Promise<RunResult> {
  const state = await selectPoller(db, name)
  if (state.wait_ms > 0) return { againAfterMs: state.wait_ms }
  try {
    await work()
    await upsertSuccess(db, name)
    return 'done'
  } catch (error) {
    if (!(error instanceof RemoteFailed) || error.kind === 'refused') throw error
    if (error.kind === 'incomplete') {
      const incompleteCount = (state.incomplete_count + 1) % maxIncomplete
      await upsertFailure(db, name, { deferrals: state.deferrals, incompleteCount, delaySeconds: 0 })
      if (incompleteCount === 0) throw error
      return 'done'
    }
    const pauseSeconds = pausesSeconds[state.deferrals]
    const failure = {
      deferrals: pauseSeconds === undefined ? 0 : state.deferrals + 1,
      incompleteCount: state.incomplete_count,
    }
    const delaySeconds = Math.max(pauseSeconds ?? 0, Math.min(error.retryAfterSeconds ?? 0, maxRetryAfterSeconds))
    await upsertFailure(db, name, { ...failure, delaySeconds })
    if (pauseSeconds === undefined) throw error
    const isSilent = state.idle_ms !== null && state.idle_ms > silenceMs
    log[isSilent ? 'error' : 'warn']({ poller: name, reason: error.message, delaySeconds }, 'a poll is postponed')
    return { againAfterMs: delaySeconds * 1000 }
  }
}
