import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { daysAgo } from '../../platform/db/days-ago.ts'
import { metadataText } from '../sessions/session.ts'

/** Failed within a day, outside frozen categories, newest first. */
export async function selectRecentlyFailed(db: Database, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select sessions.id
    from sessions
    left join categories on categories.id = sessions.category_id
    where sessions.status = 'failed'
      and sessions.updated_at > now() - interval '1 day'
      and sessions.summary_of_session_id is null
      and not coalesce(categories.is_frozen, false)
    order by sessions.updated_at desc, sessions.id desc
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** By the database's clock: one host with a wrong clock must not archive what people work on. */
export async function selectTimeDaysAgo(db: Database, days: number): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select ${daysAgo(days)} as at`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the time was not returned')
  return row.at
}

type Idle = { since: Date; after: number }

const isIdle = ({ since, after }: Idle) => sql`
  status not in ('archived', 'running')
  and summary_of_session_id is null
  and updated_at < ${since}
  and id > ${after}
`

export async function selectIdleSessions(db: Database, idle: Idle & { limit: number }): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id
    from sessions
    where ${isIdle(idle)}
    order by id
    limit ${idle.limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export async function countIdleSessions(db: Database, idle: Idle): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from sessions where ${isIdle(idle)}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export async function countByStatus(db: Database): Promise<{ status: string; count: number }[]> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, sum(change)::int as count
    from session_counts
    group by status
    having sum(change) <> 0
  `.execute(db)
  return rows
}

export type FailureCount = { reason: string; count: number; recent: number }

export async function countFailures(db: Database): Promise<FailureCount[]> {
  const { rows } = await sql<FailureCount>`
    select
      coalesce(${metadataText('failure_reason')}, 'unknown') as reason,
      count(*) as count,
      count(*) filter (where updated_at > now() - interval '1 day') as recent
    from sessions
    where status = 'failed'
    group by 1
    order by 3 desc, 1
  `.execute(db)
  return rows
}

export type FailedSession = {
  id: number
  slug: string | null
  title: string | null
  status: string
  git_root: string
  updated_at: Date
  failure_reason: string | null
  last_error: string | null
}

export async function selectFailures(db: Database, limit: number): Promise<FailedSession[]> {
  const { rows } = await sql<FailedSession>`
    select
      sessions.id,
      slug,
      title,
      status,
      git_root,
      sessions.updated_at,
      ${metadataText('failure_reason')} as failure_reason,
      (
        select left(content, 400)
        from session_logs
        where session_id = sessions.id and level = 'error'
        order by id desc
        limit 1
      ) as last_error
    from sessions
    where status = 'failed'
      and sessions.updated_at > now() - interval '1 day'
    order by sessions.updated_at desc, sessions.id desc
    limit ${limit}
  `.execute(db)
  return rows
}

export async function averageSeconds(db: Database): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select round(avg(extract(epoch from updated_at - created_at)))::float8 as seconds
    from sessions
    where status in ('archived', 'needs_input')
      and updated_at > now() - interval '7 days'
  `.execute(db)
  return rows[0]?.seconds ?? null
}

export type ErrorLine = { id: number; session_id: number; content: string; created_at: Date }

export async function selectRecentErrors(db: Database, limit: number): Promise<ErrorLine[]> {
  const { rows } = await sql<ErrorLine>`
    select id, session_id, left(content, 800) as content, created_at
    from session_logs
    where level = 'error'
      and created_at > now() - interval '1 hour'
    order by created_at desc, id desc
    limit ${limit}
  `.execute(db)
  return rows
}

export type LogSize = {
  estimated_rows: number
  total_bytes: number
  index_bytes: number
  oldest_log_at: Date | null
  oldest_verbose_log_at: Date | null
  oldest_days: number | null
}

export async function measureLogs(db: Database): Promise<LogSize | undefined> {
  const { rows } = await sql<LogSize>`
    with oldest as (
      select created_at
      from session_logs
      order by id
      limit 1000
    )
    select
      greatest(reltuples, 0)::float8 as estimated_rows,
      pg_total_relation_size(oid) as total_bytes,
      pg_indexes_size(oid) as index_bytes,
      (select min(created_at) from oldest) as oldest_log_at,
      (select min(created_at) from session_logs where level = 'verbose') as oldest_verbose_log_at,
      (select extract(epoch from now() - min(created_at))::float8 / 86400 from oldest) as oldest_days
    from pg_class
    where oid = 'session_logs'::regclass
  `.execute(db)
  return rows[0]
}
