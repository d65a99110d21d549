import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'

type PeriodicRunTable = {
  name: string
  host_id: string
  last_run_at: Date
  last_duration_ms: number
  /** Kept after a later success: `consecutive_failures` says whether the task fails now. */
  last_error: string | null
  last_error_at: Date | null
  consecutive_failures: number
}

declare module '../db/tables.ts' {
  interface Tables {
    periodic_runs: PeriodicRunTable
  }
}

/** `seconds_since_run` is by the database's clock, which also wrote the time: the clock of a host may be wrong. */
export type PeriodicRun = Selectable<PeriodicRunTable> & { seconds_since_run: number }

/** How the periodic tasks of all hosts run, for the health report. */
export function listPeriodicRuns(db: Database): Promise<PeriodicRun[]> {
  return db
    .selectFrom('periodic_runs')
    .selectAll()
    .select(sql<number>`extract(epoch from now() - last_run_at)::float8`.as('seconds_since_run'))
    .orderBy('name')
    .orderBy('host_id')
    .execute()
}

export async function upsertRun(
  db: Database,
  run: { name: string; hostId: string; durationMs: number; error: string | undefined; consecutiveFailures: number },
): Promise<void> {
  const { name, hostId, durationMs, error, consecutiveFailures } = run
  await sql`
    insert into periodic_runs as known
      (name, host_id, last_run_at, last_duration_ms, last_error, last_error_at, consecutive_failures)
    values (
      ${name}, ${hostId}, now(), ${Math.round(durationMs)}, ${error ?? null},
      case when ${error !== undefined}::boolean then now() end, ${consecutiveFailures}
    )
    on conflict (name, host_id) do update
    set last_run_at = excluded.last_run_at,
        last_duration_ms = excluded.last_duration_ms,
        last_error = coalesce(excluded.last_error, known.last_error),
        last_error_at = coalesce(excluded.last_error_at, known.last_error_at),
        consecutive_failures = excluded.consecutive_failures
  `.execute(db)
}

const keptDays = 7

/** Forgets hosts that are gone and tasks that no longer exist. */
export async function deleteOldRuns(db: Database): Promise<void> {
  await db
    .deleteFrom('periodic_runs')
    .where('last_run_at', '<', sql<Date>`now() - make_interval(days => ${keptDays})`)
    .execute()
}
