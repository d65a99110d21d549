import type { BackfillRun, LedgerCoverage } from '@yardmaster/contract/costs/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../app.ts'
import { findLastFinish, findLatestRun, type Run, selectCovered, startRun } from './backfill-store.ts'

/** Asks for a sweep of all history, or returns the one that is under way. */
export async function requestBackfill(app: App): Promise<BackfillRun> {
  const run = await startRun(app.db, 'manual')
  return {
    id: run.id,
    status: statusOf(run),
    trigger: run.trigger,
    transcript_root: 'transcripts of all sessions',
    ...progressOf(run),
    started_at: formatted(run.started_at),
    finished_at: formatted(run.finished_at),
  }
}

/** How much of the past the ledger knows. */
export async function showCoverage({ db }: Pick<App, 'db'>): Promise<LedgerCoverage> {
  const run = await findLatestRun(db)
  const finishedAt = await findLastFinish(db)
  const { since, until } = await selectCovered(db)
  return {
    status: run ? statusOf(run) : 'never_run',
    complete: finishedAt !== undefined,
    progress_pct: run ? percentOf(run) : null,
    ...progressOf(run),
    trigger: run?.trigger ?? null,
    started_at: formatted(run?.started_at),
    finished_at: formatted(finishedAt),
    last_ran_at: formatted(run?.last_ran_at),
    last_error: run ? errorOf(run) : null,
    covers_since: formatted(since),
    covers_until: formatted(until),
  }
}

function statusOf({ started_at, finished_at }: Run): BackfillRun['status'] {
  if (finished_at !== null) return 'complete'
  return started_at === null ? 'queued' : 'running'
}

function errorOf({ failure, last_error, sessions_skipped }: Run): string | null {
  if (failure !== null || sessions_skipped < 2) return failure ?? last_error
  return `${last_error} In all, ${sessions_skipped} sessions were skipped.`
}

function percentOf({ finished_at, sessions_done, sessions_total }: Run): number | null {
  if (finished_at !== null) return 100
  return sessions_total === 0 ? null : Math.min(99, Math.floor((100 * sessions_done) / sessions_total))
}

/** A session is what a directory of transcripts is elsewhere, and a thread is a file of it. */
function progressOf(run: Run | undefined) {
  return {
    directories_done: run?.sessions_done ?? 0,
    directories_total: run?.sessions_total ?? 0,
    files_scanned: run?.threads_scanned ?? 0,
    rows_written: run?.rows_written ?? 0,
  }
}

function formatted(time: Date | null | undefined): string | null {
  return time ? formatTimestamp(time) : null
}
