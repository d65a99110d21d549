import { type NeedKind, needKinds } from '@yardmaster/contract/board/read'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { needJoins, needKind } from '../board/board.ts'
import { isHeld, isParked, metadataText } from '../sessions/session.ts'

export type NeedRow = {
  id: number
  kind: NeedKind
  since: Date | null
  transition_id: number | null
  /** JSON, as the session's metadata has it. */
  oauth_required_servers: string | null
  total: number
}

/** Those that ask first, the next to expire on top; then by kind, the latest first. */
export async function selectNeeding(db: Database, limit: number): Promise<NeedRow[]> {
  const { rows } = await sql<NeedRow>`
    with needing as materialized (
      select sessions.id, ${needKind} as kind, coalesce(question.created_at, rest.created_at) as since, question.expires_at,
        rest.id as transition_id,
        case when sessions.status = 'failed' then ${metadataText('oauth_required_servers')} end as oauth_required_servers
      from sessions
      ${needJoins}
      where sessions.status <> 'archived'
        and sessions.summary_of_session_id is null
    )
    select id, kind, since, transition_id, oauth_required_servers, count(*) over () as total
    from needing
    where kind is not null
    order by array_position(${[...needKinds]}::text[], kind), expires_at, since desc, id desc
    limit ${limit}
  `.execute(db)
  return rows
}

/** Held and parked sessions, in the order of the spot queue. */
export async function selectHeld(db: Database, limit: number): Promise<{ id: number; total: number }[]> {
  const { rows } = await sql<{ id: number; total: number }>`
    select id, count(*) over () as total
    from sessions
    where status = 'waiting'
      and (${isHeld} or ${isParked})
      and summary_of_session_id is null
    order by precedence desc, created_at, id
    limit ${limit}
  `.execute(db)
  return rows
}

export type FailedTriggerRow = {
  id: number
  name: string
  agent_root_name: string
  failed_at: Date | null
  last_error: string | null
  last_session_id: number | null
  total: number
}

export async function selectFailedTriggers(db: Database, limit: number): Promise<FailedTriggerRow[]> {
  const { rows } = await sql<FailedTriggerRow>`
    select id, name, agent_root_name, failed_at, last_error, last_session_id, count(*) over () as total
    from triggers
    where status = 'failed'
    order by failed_at desc nulls last, id desc
    limit ${limit}
  `.execute(db)
  return rows
}
