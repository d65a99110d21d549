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

export type RetriedSession = {
  id: number
  slug: string | null
  title: string | null
  status: string
  git_root: string
  retry_count: number
  last_retry_at: Date
  updated_at: Date
}

export type Retries = {
  sessions: number
  retries: number
  completed: number
  failed: number
  recent: number
  /** The sessions of the recent ones, newest first, at most five. */
  recent_sessions: RetriedSession[]
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
export function selectFailedStarts(db: Database): Promise<Retries> {
  return selectRetries(db, { condition: sql`failed_starts > 0`, retries: sql`sum(failed_starts)` })
}

/** Turns that told an agent to continue after its host stopped. */
export function selectInterruptions(db: Database): Promise<Retries> {
  return selectRetries(db, { condition: sql`source = 'recovery'`, retries: sql`count(*)` })
}

type Kind = { condition: ReturnType<typeof sql>; retries: ReturnType<typeof sql> }

async function selectRetries(db: Database, kind: Kind): Promise<Retries> {
  const [counts, recentSessions] = await Promise.all([countRetries(db, kind), selectRecentSessions(db, kind)])
  return { ...counts, recent_sessions: recentSessions }
}

/** Each condition is that of a partial index, so only such turns are read. */
const retried = (condition: Kind['condition']) => sql`
  select session_id, outcome, failed_starts, created_at
  from turns
  where ${condition}
    and created_at > now() - make_interval(days => ${retryWindowDays})
`

async function countRetries(db: Database, { condition, retries }: Kind): Promise<Omit<Retries, 'recent_sessions'>> {
  const { rows } = await sql<Omit<Retries, 'recent_sessions'>>`
    select
      count(distinct session_id) as sessions,
      coalesce(${retries}, 0)::int as retries,
      count(*) filter (where outcome = 'completed') as completed,
      count(*) filter (where outcome = 'failed') as failed,
      count(*) filter (where created_at > now() - interval '1 day') as recent
    from (${retried(condition)}) as retried
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('an aggregate returned no row')
  return row
}

async function selectRecentSessions(db: Database, { condition, retries }: Kind): Promise<RetriedSession[]> {
  const { rows } = await sql<RetriedSession>`
    with recent as (
      select session_id, (${retries})::int as retry_count, max(created_at) as last_retry_at
      from (${retried(condition)}) as retried
      group by session_id
      having max(created_at) > now() - interval '1 day'
      order by last_retry_at desc, session_id desc
      limit 5
    )
    select id, slug, title, status, git_root, retry_count, last_retry_at, updated_at
    from recent
    join sessions on sessions.id = recent.session_id
    order by last_retry_at desc, id desc
  `.execute(db)
  return rows
}
