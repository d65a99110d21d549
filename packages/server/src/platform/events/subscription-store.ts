import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import { deleteOld } from '../db/delete-old.ts'
import type { Slice } from '../jobs/pruning.ts'
import type { PlacedEvent } from './event.ts'

declare module '../db/tables.ts' {
  interface Tables {
    event_subscriptions: {
      name: string
      kinds: string[]
      position: number
      attempts: Generated<number>
      retry_at: Date | null
      last_error: string | null
      moved_at: Generated<Date>
    }
    event_subscription_failures: {
      id: Generated<number>
      subscription: string
      position: number
      event_name: string
      session_id: number | null
      payload: string
      error: string
      attempts: number
      failed_at: Generated<Date>
    }
  }
}

/** An existing cursor stays where it is. Takes no lock on it: a starting host must not wait for a handler that runs. */
export async function insertSubscription(
  db: Database,
  { name, kinds, position }: { name: string; kinds: readonly string[]; position: number },
): Promise<void> {
  await sql`
    insert into event_subscriptions (name, kinds, position)
    values (${name}, ${kinds}::text[], ${position})
    on conflict (name) do nothing
  `.execute(db)
  await sql`
    update event_subscriptions
    set kinds = ${kinds}::text[]
    where name = ${name}
      and kinds <> ${kinds}::text[]
  `.execute(db)
}

export type Cursor = { position: number; attempts: number; is_waiting: boolean; is_stale: boolean }

/** How long a cursor may stand still while events of other kinds pass, so that retention never overtakes it. */
const maxStandstill = { seconds: 60, events: 200 }

export async function selectCursor(db: Database, name: string): Promise<Cursor | undefined> {
  const { rows } = await cursorQuery(name).execute(db)
  return rows[0]
}

/** Undefined while another host handles an event of this subscription. Held until the transaction ends. */
export async function lockCursor(tx: Transaction, name: string): Promise<Cursor | undefined> {
  const { rows } = await sql<Cursor>`${cursorQuery(name)} for update skip locked`.execute(tx)
  return rows[0]
}

function cursorQuery(name: string) {
  return sql<Cursor>`
    select
      position,
      attempts,
      coalesce(retry_at > now(), false) as is_waiting,
      moved_at < now() - make_interval(secs => ${maxStandstill.seconds}) as is_stale
    from event_subscriptions
    where name = ${name}
  `
}

export function selectNextEvent(
  db: Database | Transaction,
  { after, upTo, kinds }: { after: number; upTo: number; kinds: readonly string[] },
): Promise<PlacedEvent | undefined> {
  return db
    .selectFrom('events')
    .select(['position', 'name', 'session_id', 'payload', 'created_at'])
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .where('name', 'in', kinds)
    .orderBy('position')
    .limit(1)
    .$narrowType<{ position: number }>()
    .executeTakeFirst()
}

/** Only from `from`: a host that was overtaken by another moves nothing. */
export async function moveCursor(
  db: Database | Transaction,
  name: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await db
    .updateTable('event_subscriptions')
    .set({ position: to, attempts: 0, retry_at: null, last_error: null, moved_at: sql<Date>`now()` })
    .where('name', '=', name)
    .where('position', '=', from)
    .execute()
}

export function isWorthMoving(cursor: Cursor, head: number): boolean {
  return head > cursor.position && (cursor.is_stale || head - cursor.position > maxStandstill.events)
}

export async function updateAttempt(
  tx: Transaction,
  name: string,
  { attempts, retryDelayMs, error }: { attempts: number; retryDelayMs: number; error: string },
): Promise<void> {
  await sql`
    update event_subscriptions
    set attempts = ${attempts}, retry_at = now() + ${retryDelayMs} * interval '1 millisecond', last_error = ${error}
    where name = ${name}
  `.execute(tx)
}

export async function insertFailure(
  tx: Transaction,
  {
    subscription,
    event,
    error,
    attempts,
  }: { subscription: string; event: PlacedEvent; error: string; attempts: number },
): Promise<void> {
  await tx
    .insertInto('event_subscription_failures')
    .values({
      subscription,
      position: event.position,
      event_name: event.name,
      session_id: event.session_id,
      payload: JSON.stringify(event.payload),
      error,
      attempts,
    })
    .onConflict((conflict) => conflict.columns(['subscription', 'position']).doNothing())
    .execute()
}

export function deleteOldFailures(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'event_subscription_failures', since: 'failed_at' }, slice)
}

export type SubscriptionStatus = {
  name: string
  position: number
  /** Events of its kinds that it has not handled. */
  events_behind: number
  /** When the oldest of them happened; null when there is none. */
  oldest_event_at: Date | null
  /** How long ago that was, by the database's clock. */
  oldest_event_seconds: number | null
  /** Failed attempts on the oldest of them. */
  attempts: number
  retry_at: Date | null
  last_error: string | null
  failed_events: number
}

/** How far each subscription is, for the health report. */
export async function listSubscriptions(db: Database): Promise<SubscriptionStatus[]> {
  const { rows } = await sql<SubscriptionStatus>`
    select
      subscriptions.name,
      subscriptions.position,
      waiting.count as events_behind,
      waiting.oldest_at as oldest_event_at,
      extract(epoch from now() - waiting.oldest_at)::float8 as oldest_event_seconds,
      subscriptions.attempts,
      subscriptions.retry_at,
      subscriptions.last_error,
      (
        select count(*)
        from event_subscription_failures
        where subscription = subscriptions.name
      ) as failed_events
    from event_subscriptions as subscriptions
    cross join lateral (
      select count(*) as count, min(events.created_at) as oldest_at
      from events
      where events.position > subscriptions.position
        and events.name = any(subscriptions.kinds)
    ) as waiting
    order by subscriptions.name
  `.execute(db)
  return rows
}
