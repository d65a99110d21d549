import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

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
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    enqueued_messages: MessageTable
  }
}

export type Message = Selectable<MessageTable>
export type NewMessage = { sessionId: number; content: string; goal: string | null; origin?: MessageOrigin }

/** Everything here changes positions, so the caller holds the session's row lock. */

export function insertMessage(
  tx: Transaction,
  { sessionId, content, goal, origin = 'caller' }: NewMessage,
): Promise<Message> {
  return tx
    .insertInto('enqueued_messages')
    .values(({ selectFrom, fn }) => ({
      session_id: sessionId,
      content,
      goal,
      origin,
      position: selectFrom('enqueued_messages')
        .where('session_id', '=', sessionId)
        .where('status', '=', 'pending')
        .select(sql<number>`${fn.countAll()} + 1`.as('next')),
    }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** What was taken and never reached its agent is the first to be delivered again, in its own row if it has one. */
export async function returnMessage(
  tx: Transaction,
  { messageId, ...message }: NewMessage & { messageId: number | null },
): Promise<Message> {
  const own = messageId === null ? undefined : await reopenMessage(tx, messageId)
  const returned = own ?? (await insertMessage(tx, message))
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

/** The first pending message, now delivered; the others move up. */
export async function takeFirstMessage(tx: Transaction, sessionId: number): Promise<Message | undefined> {
  const taken = await tx
    .updateTable('enqueued_messages')
    .set({ status: 'sent', updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .where('position', '=', 1)
    .returningAll()
    .executeTakeFirst()
  if (taken) await closeGap(tx, taken)
  return taken
}

export function selectPendingMessages(db: Database | Transaction, sessionId: number): Promise<Message[]> {
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

export function selectMessage(db: Database | Transaction, sessionId: number, id: number): Promise<Message | undefined> {
  return db
    .selectFrom('enqueued_messages')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Past the end means the end. One statement moves the message and shifts those between. */
export async function moveMessage(
  tx: Transaction,
  { id, session_id, position: from }: Message,
  wanted: number,
): Promise<number> {
  const pending = await selectPendingMessages(tx, session_id)
  const to = Math.min(wanted, pending.length)
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
  return to
}

export function updateMessage(
  tx: Transaction,
  id: number,
  changes: Partial<Pick<Message, 'content' | 'goal'>>,
): Promise<Message> {
  return tx
    .updateTable('enqueued_messages')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteMessage(tx: Transaction, message: Message): Promise<void> {
  await tx.deleteFrom('enqueued_messages').where('id', '=', message.id).execute()
  if (message.status === 'pending') await closeGap(tx, message)
}

/** What will never be delivered stays readable as such. */
export function retireMessages(tx: Transaction, sessionId: number): Promise<Message[]> {
  return tx
    .updateTable('enqueued_messages')
    .set({ status: 'undelivered', updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .returningAll()
    .execute()
}

export async function retireMessage(tx: Transaction, message: Message): Promise<void> {
  await tx
    .updateTable('enqueued_messages')
    .set({ status: 'undelivered', updated_at: sql<Date>`now()` })
    .where('id', '=', message.id)
    .execute()
  await closeGap(tx, message)
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
