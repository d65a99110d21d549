import type { NotificationType } from '@yardmaster/contract/notifications/fields'
import type { Page } from '@yardmaster/contract/paging'
import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import { type Generated, type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { daysAgo } from '../../platform/db/days-ago.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    notifications: {
      id: Generated<number>
      session_id: number
      notification_type: NotificationType
      title: string
      body: string
      /** What it was made for: a second attempt for the same marker makes no second row. */
      marker: string | null
      /** The event that it was made for, if one was. */
      position: number | null
      read: Generated<boolean>
      stale: Generated<boolean>
      created_at: Generated<Date>
      updated_at: Generated<Date>
    }
  }
}

export type NotificationRow = Selectable<Tables['notifications']> & {
  session_slug: string | null
  session_title: string | null
  session_status: SessionStatus
}

/** Undefined if one was made for the same marker before. */
export async function insertNotification(
  tx: Transaction,
  row: Insertable<Tables['notifications']>,
): Promise<number | undefined> {
  const inserted = await tx
    .insertInto('notifications')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'notification_type', 'marker']).where('marker', 'is not', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return inserted?.id
}

/** Whether the list has one of the same session, type and content that is younger than this. */
export async function hasSameContent(
  tx: Transaction,
  { sessionId, type, body }: { sessionId: number; type: NotificationType; body: string },
  withinSeconds: number,
): Promise<boolean> {
  const same = await tx
    .selectFrom('notifications')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('notification_type', '=', type)
    .where('body', '=', body)
    .where('stale', '=', false)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${withinSeconds})`)
    .limit(1)
    .executeTakeFirst()
  return same !== undefined
}

/** How many were made of this type about the session, listed or not. */
export async function countRecent(
  tx: Transaction,
  { sessionId, type }: { sessionId: number; type: NotificationType },
  withinSeconds: number,
): Promise<number> {
  const { total } = await tx
    .selectFrom('notifications')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('session_id', '=', sessionId)
    .where('notification_type', '=', type)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${withinSeconds})`)
    .executeTakeFirstOrThrow()
  return total
}

type Filter = { status?: 'read' | 'unread' | undefined }

/** Newest first, without stale ones. */
export async function selectListed(
  db: Database,
  { status }: Filter,
  { page, perPage }: Page,
): Promise<{ rows: NotificationRow[]; totalCount: number }> {
  const isListed =
    status === undefined ? sql<SqlBool>`not stale` : sql<SqlBool>`not stale and read = ${status === 'read'}`
  const [rows, { total }] = await Promise.all([
    withSession(db)
      .where(isListed)
      .orderBy('notifications.id', 'desc')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute(),
    db
      .selectFrom('notifications')
      .where(isListed)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ])
  return { rows, totalCount: total }
}

export function selectNotification(db: Database | Transaction, id: number): Promise<NotificationRow | undefined> {
  return withSession(db).where('notifications.id', '=', id).executeTakeFirst()
}

/** One that is listed, unread and younger than this. */
export function selectNews(db: Database, id: number, withinHours: number): Promise<NotificationRow | undefined> {
  return withSession(db)
    .where('notifications.id', '=', id)
    .where(sql<SqlBool>`not stale and not read`)
    .where('notifications.created_at', '>', sql<Date>`now() - make_interval(hours => ${withinHours})`)
    .executeTakeFirst()
}

export async function countUnread(db: Database | Transaction): Promise<number> {
  const { total } = await db
    .selectFrom('notifications')
    .where(sql<SqlBool>`not stale and not read`)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Whether the list has one about the session. */
export async function hasListed(tx: Transaction, sessionId: number): Promise<boolean> {
  const listed = await tx
    .selectFrom('notifications')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('stale', '=', false)
    .limit(1)
    .executeTakeFirst()
  return listed !== undefined
}

/** False if it was read before. */
export async function updateRead(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ read: true, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('read', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function updateAllRead(tx: Transaction): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ read: true, updated_at: sql<Date>`now()` })
    .where(sql<SqlBool>`not stale and not read`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function updateReadAbout(tx: Transaction, sessionId: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ read: true, updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where(sql<SqlBool>`not stale and not read`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Only one that was read: one statement, so that no mark or delete comes in between. */
export async function deleteRead(tx: Transaction, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('notifications')
    .where('id', '=', id)
    .where('read', '=', true)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteAllRead(tx: Transaction): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('notifications')
    .where(sql<SqlBool>`not stale and read`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Marks what is true only while the session is as it was before the event. A question stays until it is closed. */
export function updateStale(tx: Transaction, sessionId: number, before: { position: number }): Promise<number> {
  const isAboutState = sql<SqlBool>`notification_type in ('needs_input', 'session_failed') and position < ${before.position}`
  return markStale(tx, sessionId, isAboutState)
}

/** Marks what was said about the session. */
export function updateStaleMessages(tx: Transaction, sessionId: number): Promise<number> {
  return markStale(tx, sessionId, sql<SqlBool>`notification_type in ('custom_message', 'session_complete')`)
}

async function markStale(tx: Transaction, sessionId: number, which: RawBuilder<SqlBool>): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ stale: true, updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('stale', '=', false)
    .where(which)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Marks the one that was made for this. False if it is not listed. */
export async function updateStaleByMarker(
  tx: Transaction,
  { sessionId, type, marker }: { sessionId: number; type: NotificationType; marker: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('notifications')
    .set({ stale: true, updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('notification_type', '=', type)
    .where('marker', '=', marker)
    .where('stale', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Undefined if it waits for no answer any more. */
export function selectPendingQuestion(tx: Transaction, id: number): Promise<{ message: string } | undefined> {
  return tx
    .selectFrom('elicitations')
    .select('message')
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
}

/** What a session that was archived so long ago said needs no one any more. */
export async function updateStaleOfArchived(tx: Transaction, { days, limit }: Slice): Promise<number> {
  const { numAffectedRows } = await sql`
    update notifications
    set stale = true, updated_at = now()
    where id in (
      select notifications.id
      from notifications
      join sessions on sessions.id = notifications.session_id
      where not notifications.stale
        and sessions.status = 'archived'
        and sessions.archived_at < ${daysAgo(days)}
      limit ${limit}
    )
  `.execute(tx)
  return Number(numAffectedRows)
}

/** Stale ones and read ones. How many, and how many of them were listed. */
export async function deleteSettled(tx: Transaction, { days, limit }: Slice): Promise<{ all: number; listed: number }> {
  const { rows } = await sql<{ stale: boolean }>`
    delete from notifications
    where id in (
      select id
      from notifications
      where (stale or read)
        and updated_at < ${daysAgo(days)}
      limit ${limit}
    )
    returning stale
  `.execute(tx)
  return { all: rows.length, listed: rows.filter(({ stale }) => !stale).length }
}

function withSession(db: Database | Transaction) {
  return db
    .selectFrom('notifications')
    .innerJoin('sessions', 'sessions.id', 'notifications.session_id')
    .selectAll('notifications')
    .select(['sessions.slug as session_slug', 'sessions.title as session_title', 'sessions.status as session_status'])
}
