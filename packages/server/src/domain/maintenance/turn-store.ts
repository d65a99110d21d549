import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

export type RecordedProcess = { session_id: number; host: string | null; pid: number | null; age_seconds: number }

/** The turns that are executing, with the process that each recorded. */
export async function selectRecordedProcesses(db: Database): Promise<RecordedProcess[]> {
  const { rows } = await sql<RecordedProcess>`
    select
      session_id,
      lease_owner as host,
      pid,
      coalesce(extract(epoch from now() - coalesce(started_at, dispatched_at))::float8, 0) as age_seconds
    from turns
    where state = 'executing'
    order by session_id
  `.execute(db)
  return rows
}

export type Retries = {
  sessions: number
  retries: number
  completed: number
  failed: number
  recent: number
  recent_sessions: number[]
}

export const retryWindowDays = 30

/** Turns that a vendor's rate limit ended within five minutes. */
export async function countRateLimits(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from turns
    where state = 'ended'
      and failure_reason = 'rate_limit'
      and ended_at > now() - interval '5 minutes'
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Turns that started again before their agent had its prompt. */
export function countFailedStarts(db: Database): Promise<Retries> {
  return countRetries(db, sql`failed_starts > 0`, sql`sum(failed_starts)`)
}

/** Turns that told an agent to continue after its host stopped. */
export function countInterruptions(db: Database): Promise<Retries> {
  return countRetries(db, sql`source = 'recovery'`, sql`count(*)`)
}

/** Each condition is that of a partial index, so only such turns are read. */
async function countRetries(
  db: Database,
  condition: ReturnType<typeof sql>,
  retries: ReturnType<typeof sql>,
): Promise<Retries> {
  const { rows } = await sql<Retries>`
    with retried as (
      select session_id, outcome, failed_starts, created_at
      from turns
      where ${condition}
        and created_at > now() - make_interval(days => ${retryWindowDays})
    )
    select
      count(distinct session_id) as sessions,
      coalesce(${retries}, 0)::int as retries,
      count(*) filter (where outcome = 'completed') as completed,
      count(*) filter (where outcome = 'failed') as failed,
      count(*) filter (where created_at > now() - interval '1 day') as recent,
      array(
        select session_id::int
        from retried
        where created_at > now() - interval '1 day'
        group by session_id
        order by max(created_at) desc
        limit 5
      ) as recent_sessions
    from retried
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('an aggregate returned no row')
  return row
}
