import { sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'

export type Pace = { seconds: number; tokens: number }

/** For how long the session's turns have run since the beginning of yesterday, and what was counted for it in that time. */
export async function selectPace(tx: Transaction, sessionId: number): Promise<Pace> {
  const day = sql`((now() at time zone 'UTC')::date - 1)`
  const since = sql`(${day}::timestamp at time zone 'UTC')`
  const { rows } = await sql<Pace>`
    select
      (
        select coalesce(sum(extract(epoch from coalesce(ended_at, now()) - greatest(started_at, ${since}))), 0)::float8
        from turns
        where session_id = ${sessionId}
          and started_at is not null
          and coalesce(ended_at, now()) > ${since}
      ) as seconds,
      (select coalesce(sum(tokens), 0)::float8 from spend_days where session_id = ${sessionId} and day >= ${day}) as tokens
  `.execute(tx)
  const [pace] = rows
  if (!pace) throw new Error('an aggregate returned no row')
  return pace
}

/** How long ago the session was created, and all that was counted for it. */
export async function selectLifetime(tx: Transaction, sessionId: number): Promise<Pace> {
  const { rows } = await sql<Pace>`
    select
      extract(epoch from now() - created_at)::float8 as seconds,
      (select coalesce(sum(tokens), 0)::float8 from spend_days where session_id = sessions.id) as tokens
    from sessions
    where id = ${sessionId}
  `.execute(tx)
  return rows[0] ?? { seconds: 0, tokens: 0 }
}
