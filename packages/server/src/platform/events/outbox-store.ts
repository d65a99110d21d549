import { type Generated, sql } from 'kysely'
import { takeLock } from '../db/advisory-locks.ts'
import type { Database, Transaction } from '../db/database.ts'
import { daysAgo } from '../db/days-ago.ts'
import type { Slice } from '../jobs/pruning.ts'
import type { PlacedEvent } from './event.ts'

declare module '../db/tables.ts' {
  interface Tables {
    events: {
      id: Generated<number>
      position: number | null
      name: string
      session_id: number | null
      payload: string
      created_at: Generated<Date>
    }
    event_retention: { pruned_through: number }
  }
}

export type EventCursor = { position: number; sessionId?: number }

export async function insertEvent(
  tx: Transaction,
  event: { name: string; session_id: number | null; payload: unknown },
): Promise<void> {
  await tx
    .insertInto('events')
    .values({ name: event.name, session_id: event.session_id, payload: JSON.stringify(event.payload) })
    .execute()
}

/**
 * Gives committed events their positions. The lock is held until the positions are visible, so no reader sees n + 1 before
 * n. A separate statement takes the lock: the update needs a snapshot from after the wait, or it would assign positions
 * again that the previous holder assigned.
 */
export async function placeEvents(db: Database): Promise<void> {
  const unplaced = await db.selectFrom('events').select('id').where('position', 'is', null).limit(1).executeTakeFirst()
  if (!unplaced) return
  await db.transaction().execute(async (tx) => {
    await takeLock(tx, 'eventPositions')
    await sql`
      with unplaced as materialized (
        select id
        from events
        where position is null
        order by id
      ),
      placed as materialized (
        select id, nextval('event_positions') as position
        from unplaced
      )
      update events
      set position = placed.position
      from placed
      where events.id = placed.id
    `.execute(tx)
  })
}

export async function findEventsAfter(db: Database, cursor: EventCursor, limit: number): Promise<PlacedEvent[]> {
  let query = db
    .selectFrom('events')
    .select(['position', 'name', 'session_id', 'payload', 'created_at'])
    .where('position', '>', cursor.position)
    .orderBy('position')
    .limit(limit)
  if (cursor.sessionId !== undefined) query = query.where('session_id', '=', cursor.sessionId)
  return query.$narrowType<{ position: number }>().execute()
}

export async function lastPosition(db: Database): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max('position').as('position'))
    .executeTakeFirstOrThrow()
  return row.position ?? (await selectRetention(db)).prunedThrough
}

/**
 * Returns the number of deleted events. Records how far it deleted, so that a reader whose cursor is older learns that it may
 * have missed events. An event without a position has not been announced yet.
 */
export async function deleteOldEvents(db: Database, { days, limit }: Slice): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from events
      where id in (
        select id
        from events
        where created_at < ${daysAgo(days)}
          and position is not null
        order by created_at
        limit ${limit}
      )
      returning position
    )
    update event_retention
    set pruned_through = greatest(pruned_through, (select max(position) from deleted))
    returning (select count(*) from deleted) as count
  `.execute(db)
  return rows[0]?.count ?? 0
}

/** Events up to `prunedThrough` may be deleted. `now` is by the database's clock. */
export async function selectRetention(db: Database): Promise<{ prunedThrough: number; now: Date }> {
  return db
    .selectFrom('event_retention')
    .select(['pruned_through as prunedThrough', sql<Date>`now()`.as('now')])
    .executeTakeFirstOrThrow()
}
