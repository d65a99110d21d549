import type { NeedKind } from '@yardmaster/contract/board/read'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import { metadataText } from '../sessions/session.ts'

/*
 * Which sessions wait for a person, for queries on `sessions` with these joins. A question waits for its answer whatever a
 * person has seen. Everything else needs someone until they have seen it, and not while the session is off the board.
 */

/** The oldest question of each session that waits, and its last change of state if it came to rest. */
export const needJoins = sql`
  left join (
    select distinct on (session_id) session_id, id, message, expires_at, created_at
    from elicitations
    where status = 'pending'
      and expires_at > now()
    order by session_id, id
  ) as question on question.session_id = sessions.id
  left join lateral (
    select id, cause, created_at
    from session_transitions
    where session_transitions.session_id = sessions.id
      and sessions.status in ('needs_input', 'failed')
    order by id desc
    limit 1
  ) as rest on true
  left join session_views as seen on seen.session_id = sessions.id
`

export const isOnBoard: RawBuilder<SqlBool> = sql`(
  sessions.visibility = 'visible'
  or sessions.visibility = 'snoozed' and sessions.snoozed_until <= now()
)`

/** Null for a session that needs no one. A person who paused a session or brought it back knows that it rests. */
export const needKind: RawBuilder<NeedKind | null> = sql`case
  when sessions.status = 'archived' then null
  when question.id is not null then 'question'
  when not ${isOnBoard} then null
  when rest.id <= seen.transition_id then null
  when sessions.status = 'failed' and ${metadataText('failure_reason')} = 'oauth_required' then 'oauth_required'
  when sessions.status = 'failed' then 'failed'
  when sessions.status = 'needs_input' and rest.cause = 'turn_ended' then 'needs_input'
end`

/** Whether the session waits for a person. */
export async function isNeeding(tx: Transaction, id: number): Promise<boolean> {
  const { rows } = await sql<{ is_needing: boolean }>`
    select ${needKind} is not null as is_needing
    from sessions
    ${needJoins}
    where sessions.id = ${id}
  `.execute(tx)
  return rows[0]?.is_needing ?? false
}
