import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { isHeld, isParked } from '../sessions/session.ts'
import { isOnBoard, needJoins, needKind } from './needs-store.ts'

export type Counts = {
  needs_you: number
  running: number
  waiting: number
  needs_input: number
  failed: number
  held: number
}

/** One pass over the sessions that are not archived. */
export async function countSessions(db: Database): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select
      count(*) filter (where ${needKind} is not null) as needs_you,
      count(*) filter (where sessions.status = 'running' and ${isOnBoard}) as running,
      count(*) filter (where sessions.status = 'waiting' and ${isOnBoard}) as waiting,
      count(*) filter (where sessions.status = 'needs_input' and ${isOnBoard}) as needs_input,
      count(*) filter (where sessions.status = 'failed' and ${isOnBoard}) as failed,
      count(*) filter (where ${isHeld} or ${isParked}) as held
    from sessions
    ${needJoins}
    where sessions.status <> 'archived'
      and sessions.summary_of_session_id is null
  `.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('an aggregate returned no row')
  return counts
}

type OtherCounts = { unread_notifications: number; failed_triggers: number; backlog: number; live: number }

export async function countOthers(db: Database): Promise<OtherCounts> {
  const { rows } = await sql<OtherCounts>`
    select
      (select count(*) from notifications where not stale and not read) as unread_notifications,
      (select count(*) from triggers where status = 'failed') as failed_triggers,
      (select count(*) from work_backlog_items where status = 'queued') as backlog,
      (select count(*) from turns where state in ('dispatched', 'executing')) as live
  `.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('a query without a table returned no row')
  return counts
}
