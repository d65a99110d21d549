import type { SessionEvent } from '@yardmaster/contract/triggers/conditions'
import { type SqlBool, sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import { metadataText } from '../sessions/session.ts'

export type Watch = { id: number; trigger_id: number; is_one_shot: boolean }

/**
 * The conditions of enabled triggers that an event of a session matches: watches on it and, if it is autonomous, those on
 * any session. A session never fires the trigger that spawned it or that follows it up.
 */
export function selectMatchingWatches(
  tx: Transaction,
  { sessionId, event }: { sessionId: number; event: SessionEvent },
): Promise<Watch[]> {
  return tx
    .selectFrom('trigger_conditions')
    .innerJoin('triggers', 'triggers.id', 'trigger_conditions.trigger_id')
    .innerJoin('sessions', (join) => join.on('sessions.id', '=', sessionId))
    .select(['trigger_conditions.id', 'trigger_conditions.trigger_id', 'trigger_conditions.is_one_shot'])
    .where('triggers.status', '=', 'enabled')
    .where('trigger_conditions.condition_type', '=', 'ao_event')
    .where(sql<SqlBool>`trigger_conditions.configuration ->> 'event_name' = ${event}`)
    .where(
      sql<SqlBool>`(
        trigger_conditions.configuration ->> 'watched_session_id' = ${String(sessionId)}
        or (
          trigger_conditions.configuration ->> 'watched_session_id' is null
          and sessions.is_autonomous
        )
      )`,
    )
    .where('sessions.summary_of_session_id', 'is', null)
    .where(sql<SqlBool>`${metadataText('trigger_id')} is distinct from triggers.id::text`)
    .where(sql<SqlBool>`not (triggers.reuse_session and triggers.last_session_id is not distinct from sessions.id)`)
    .orderBy('trigger_conditions.id')
    .execute()
}

/** Watches on a session that wait for something that can no longer happen. */
export function selectDeadWatches(
  tx: Transaction,
  sessionId: number,
  { except }: { except: SessionEvent | null },
): Promise<{ id: number; trigger_id: number }[]> {
  return tx
    .selectFrom('trigger_conditions')
    .select(['id', 'trigger_id'])
    .where('condition_type', '=', 'ao_event')
    .where(sql<SqlBool>`configuration ->> 'watched_session_id' = ${String(sessionId)}`)
    .where(sql<SqlBool>`configuration ->> 'event_name' is distinct from ${except}`)
    .where('last_triggered_at', 'is', null)
    .orderBy('id')
    .execute()
}
