import type { Page } from '@yardmaster/contract/paging'
import { type Insertable, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'
import { hasMetadata } from '../sessions/session.ts'
import { spawnedBy } from '../triggers/trigger.ts'
import type { FireRow } from './fire-table.ts'

/** Fires that are kept for each trigger. */
const keptFires = 200
/** How long an event stays claimed. Pollers look back 45 days at most. */
export const claimedDays = 90

/** Which of these events the trigger has claimed before. */
export async function selectClaimed(
  db: Database | Transaction,
  triggerId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('trigger_events')
    .select('event_key')
    .where('trigger_id', '=', triggerId)
    .where('event_key', 'in', keys)
    .execute()
  return new Set(rows.map(({ event_key }) => event_key))
}

export async function insertClaims(tx: Transaction, claims: Insertable<Tables['trigger_events']>[]): Promise<void> {
  if (claims.length > 0) await tx.insertInto('trigger_events').values(claims).execute()
}

/** The first event of the conversation's group that an event at this time belongs to. */
export function selectAnchor(
  tx: Transaction,
  triggerId: number,
  { conversation, occurredAt, windowSeconds }: { conversation: string; occurredAt: Date; windowSeconds: number },
): Promise<{ session_id: number | null } | undefined> {
  return tx
    .selectFrom('trigger_events')
    .select('session_id')
    .where('trigger_id', '=', triggerId)
    .where('conversation', '=', conversation)
    .where('is_anchor', '=', true)
    .where(
      sql<SqlBool>`occurred_at between ${occurredAt}::timestamptz - make_interval(secs => ${windowSeconds})
        and ${occurredAt}::timestamptz + make_interval(secs => ${windowSeconds})`,
    )
    .orderBy('occurred_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Repeats of one event with one outcome share a row. Only the latest fires of a trigger are kept. */
export async function insertFire(tx: Transaction, fire: NewFire): Promise<void> {
  const { trigger_id, condition_id, fired_by, event_key, outcome, session_id, reason, scheduled_for } = fire
  await sql`
    with repeated as (
      update trigger_fires
      set times = times + 1, last_fired_at = now(), reason = ${reason}
      where id = (select max(id) from trigger_fires where trigger_id = ${trigger_id})
        and event_key = ${event_key}
        and outcome = ${outcome}
      returning id
    ),
    pruned as (
      delete from trigger_fires
      where not exists (select from repeated)
        and id = (
          select id
          from trigger_fires
          where trigger_id = ${trigger_id}
          order by id desc
          offset ${keptFires - 1}
          limit 1
        )
    )
    insert into trigger_fires (trigger_id, condition_id, fired_by, event_key, outcome, session_id, reason, scheduled_for)
    select ${trigger_id}, ${condition_id}::bigint, ${fired_by}, ${event_key}, ${outcome}, ${session_id}::bigint,
      ${reason}, ${scheduled_for}::timestamptz
    where not exists (select from repeated)
  `.execute(tx)
}

type NewFire = Omit<FireRow, 'id' | 'times' | 'fired_at' | 'last_fired_at'>

export function selectFires(db: Database, triggerId: number, page: Page): Promise<Paged<FireRow>> {
  const matching = db.selectFrom('trigger_fires').where('trigger_id', '=', triggerId)
  return selectPage(matching.selectAll().orderBy('id', 'desc'), page)
}

export function deleteOldClaims(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'trigger_events', since: 'created_at' }, slice)
}

export type OwnPending = { messageId: number | null; createdAt: Date }

/** The trigger's prompts that its session has not begun: a queued message, or a turn whose agent has not received it. */
export async function selectOwnPending(
  tx: Transaction,
  { triggerId, sessionId }: { triggerId: number; sessionId: number },
): Promise<OwnPending | undefined> {
  const { rows } = await sql<OwnPending>`
    select id as "messageId", created_at as "createdAt"
    from enqueued_messages
    where session_id = ${sessionId}
      and status = 'pending'
      and trigger_id = ${triggerId}
    union all
    select null, created_at
    from turns
    where session_id = ${sessionId}
      and state in ('queued', 'dispatched')
      and trigger_id = ${triggerId}
    limit 1
  `.execute(tx)
  return rows[0]
}

/** The newest session of the trigger that is at work, burst notices apart. */
export async function selectPendingSession(tx: Transaction, triggerId: number): Promise<number | undefined> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where(spawnedBy(triggerId))
    .where('status', 'in', ['waiting', 'running'])
    .where(sql<SqlBool>`not ${hasMetadata('burst_notice')}`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

export type DueCondition = { id: number; trigger_id: number; next_run_at: Date }

/** Schedules that are due, the longest overdue first. Reads only their part of the index, however many others there are. */
export function selectDueConditions(db: Database, limit: number): Promise<DueCondition[]> {
  return db
    .selectFrom('trigger_conditions')
    .select(['id', 'trigger_id', 'next_run_at'])
    .where('next_run_at', '<=', sql<Date>`now()`)
    .orderBy('next_run_at')
    .limit(limit)
    .$narrowType<{ next_run_at: Date }>()
    .execute()
}
