import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import { traceparent as currentTrace } from '../../platform/tracing/traceparent.ts'
import { keepNamed } from '../attachments/attachment.ts'
import { noteQueueChange } from './queue-change-store.ts'

export type MessageStatus = 'pending' | 'processing' | 'sent' | 'undelivered'
export type MessageOrigin = 'caller' | 'automated_pr_merged' | 'automated_merge_conflict' | 'automated_recovery_nudge'

type MessageTable = {
  id: Generated<number>
  session_id: number
  content: string
  goal: string | null
  position: number
  status: Generated<MessageStatus>
  origin: Generated<MessageOrigin>
  /** The trigger whose prompt it is. */
  trigger_id: number | null
  /** Whether a person sent it. */
  is_by_person: Generated<boolean>
  /** As of a turn. */
  traceparent: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    enqueued_messages: MessageTable
  }
}

export type Message = Selectable<MessageTable>
export type NewMessage = {
  content: string
  goal: string | null
  origin?: MessageOrigin
  triggerId?: number | null
  isByPerson?: boolean
  /** Default: that of the span underway. */
  traceparent?: string | null | undefined
}

// Functions that change positions require the session's row lock.

/** Appends to the pending messages, in the given order. */
export async function insertMessages(
  tx: Transaction,
  sessionId: number,
  messages: readonly NewMessage[],
): Promise<Message[]> {
  if (messages.length === 0) return []
  await keepNamed(
    tx,
    sessionId,
    messages.map(({ content }) => content),
  )
  const { rows } = await sql<Message>`
    with pending as (
      select count(*) as count
      from enqueued_messages
      where session_id = ${sessionId}
        and status = 'pending'
    ),
    incoming as (
      select content, goal, origin, trigger_id, is_by_person, traceparent, place
      from unnest(
        ${messages.map(({ content }) => content)}::text[],
        ${messages.map(({ goal }) => goal)}::text[],
        ${messages.map(({ origin = 'caller' }) => origin)}::text[],
        ${messages.map(({ triggerId }) => triggerId ?? null)}::bigint[],
        ${messages.map(({ isByPerson = false }) => isByPerson)}::boolean[],
        ${messages.map(({ traceparent = currentTrace() }) => traceparent)}::text[]
      ) with ordinality as incoming (content, goal, origin, trigger_id, is_by_person, traceparent, place)
    )
    insert into enqueued_messages (session_id, content, goal, origin, trigger_id, is_by_person, traceparent, position)
    select
      ${sessionId}, incoming.content, incoming.goal, incoming.origin, incoming.trigger_id, incoming.is_by_person, incoming.traceparent,
      pending.count + incoming.place
    from incoming, pending
    order by incoming.place
    returning *
  `.execute(tx)
  noteQueueChange(tx, sessionId)
  return rows.toSorted((one, other) => one.position - other.position)
}

export async function queueMessage(tx: Transaction, sessionId: number, message: NewMessage): Promise<Message> {
  const [inserted] = await insertMessages(tx, sessionId, [message])
  if (!inserted) throw new Error('the insert returned no message')
  return inserted
}

/** Puts a prompt that was claimed but not delivered back at the head of the queue, in its original row if it has one. */
export async function returnMessage(
  tx: Transaction,
  { sessionId, messageId, ...message }: NewMessage & { sessionId: number; messageId: number | null },
): Promise<Message> {
  const own = messageId === null ? undefined : await reopenMessage(tx, messageId)
  const returned = own ?? (await queueMessage(tx, sessionId, message))
  noteQueueChange(tx, sessionId)
  return { ...returned, position: await moveMessage(tx, returned, 1) }
}

async function reopenMessage(tx: Transaction, id: number): Promise<Message | undefined> {
  const { rows } = await sql<Message>`
    update enqueued_messages
    set status = 'pending', updated_at = now(), position = (
          select count(*) + 1
          from enqueued_messages as pending
          where pending.session_id = enqueued_messages.session_id
            and pending.status = 'pending'
        )
    where id = ${id}
    returning *
  `.execute(tx)
  return rows[0]
}

/** A notice about a merge conflict may have become untrue: it is delivered within this time after it was last checked. */
const noticeMaxSeconds = 60

const isDeliverable = sql<boolean>`(
  origin <> 'automated_merge_conflict' or updated_at > now() - ${sql.lit(noticeMaxSeconds)} * interval '1 second'
)`

/** Marks the first pending message that may be delivered as sent, and moves those behind it up. */
export async function takeFirstMessage(tx: Transaction, sessionId: number): Promise<Message | undefined> {
  const taken = await tx
    .updateTable('enqueued_messages')
    .set({ status: 'sent', updated_at: sql<Date>`now()` })
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('enqueued_messages')
        .select('id')
        .where('session_id', '=', sessionId)
        .where('status', '=', 'pending')
        .where(isDeliverable)
        .orderBy('position')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst()
  if (taken) await closeGap(tx, taken)
  if (taken) noteQueueChange(tx, sessionId)
  return taken
}

/** What a notice says was checked again and is true. */
export async function confirmMessage(tx: Transaction, id: number): Promise<void> {
  await tx.updateTable('enqueued_messages').set({ updated_at: sql<Date>`now()` }).where('id', '=', id).execute()
}

export function findPendingMessages(db: Database | Transaction, sessionId: number): Promise<Message[]> {
  return db
    .selectFrom('enqueued_messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .orderBy('position')
    .execute()
}

export async function hasPendingMessages(db: Database | Transaction, sessionId: number): Promise<boolean> {
  const row = await db
    .selectFrom('enqueued_messages')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export function findMessage(db: Database | Transaction, sessionId: number, id: number): Promise<Message | undefined> {
  return db
    .selectFrom('enqueued_messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** By position. Sent and undelivered messages keep their last position. */
export function selectMessagePage(
  db: Database,
  sessionId: number,
  { status }: { status?: string | undefined },
  page: Page,
): Promise<Paged<Message>> {
  const matching = db
    .selectFrom('enqueued_messages')
    .where('session_id', '=', sessionId)
    .$if(status !== undefined && status !== '', (query) => query.where(sql`status`, '=', status))
  return selectPage(matching.selectAll().orderBy('position').orderBy('id'), page)
}

/** A position past the end means the end. One statement moves the message and shifts those in between. */
export async function moveMessage(tx: Transaction, { id, session_id }: Message, wanted: number): Promise<number> {
  const { from, count } = await selectPlace(tx, session_id, id)
  const to = Math.min(wanted, count)
  await sql`
    update enqueued_messages
    set position = case
          when id = ${id} then ${to}::int
          when ${from}::int < ${to}::int and position > ${from}::int and position <= ${to}::int then position - 1
          when ${to}::int < ${from}::int and position >= ${to}::int and position < ${from}::int then position + 1
          else position
        end,
        updated_at = case when id = ${id} then now() else updated_at end
    where session_id = ${session_id}
      and status = 'pending'
  `.execute(tx)
  noteQueueChange(tx, session_id)
  return to
}

function selectPlace(tx: Transaction, sessionId: number, id: number): Promise<{ from: number; count: number }> {
  return tx
    .selectFrom('enqueued_messages')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.max('position').filterWhere('id', '=', id).$notNull().as('from'),
    ])
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
}

export async function updateMessage(
  tx: Transaction,
  id: number,
  changes: Partial<Pick<Message, 'content' | 'goal'>>,
): Promise<Message> {
  const message = await tx
    .updateTable('enqueued_messages')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (changes.content !== undefined) await keepNamed(tx, message.session_id, [changes.content])
  noteQueueChange(tx, message.session_id)
  return message
}

/** Appends to a pending message, if the result fits. False if the message is no longer pending or would be too long. */
export async function extendMessage(
  tx: Transaction,
  id: number,
  text: string,
  fits: (content: string) => boolean,
): Promise<boolean> {
  const message = await tx
    .selectFrom('enqueued_messages')
    .select('content')
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (!message) return false
  if (message.content.includes(text)) return true
  const content = `${message.content}\n\n${text}`
  if (!fits(content)) return false
  await updateMessage(tx, id, { content })
  return true
}

export async function deleteMessage(tx: Transaction, message: Message): Promise<void> {
  await tx.deleteFrom('enqueued_messages').where('id', '=', message.id).execute()
  if (message.status === 'pending') await closeGap(tx, message)
  noteQueueChange(tx, message.session_id)
}

/** Keeps pending messages that will never be delivered, as `undelivered`. */
export async function retireMessages(tx: Transaction, sessionId: number): Promise<Message[]> {
  const retired = await tx
    .updateTable('enqueued_messages')
    .set({ status: 'undelivered', updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .returningAll()
    .execute()
  if (retired.length > 0) noteQueueChange(tx, sessionId)
  return retired
}

export async function retireMessage(tx: Transaction, message: Message): Promise<void> {
  await tx
    .updateTable('enqueued_messages')
    .set({ status: 'undelivered', updated_at: sql<Date>`now()` })
    .where('id', '=', message.id)
    .execute()
  await closeGap(tx, message)
  noteQueueChange(tx, message.session_id)
}

async function closeGap(tx: Transaction, { session_id, position }: Message): Promise<void> {
  await tx
    .updateTable('enqueued_messages')
    .set({ position: sql<number>`position - 1` })
    .where('session_id', '=', session_id)
    .where('status', '=', 'pending')
    .where('position', '>', position)
    .execute()
}
