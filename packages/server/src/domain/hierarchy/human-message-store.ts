import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

/** Where people write. */
export const channels = ['chat', 'web_ui'] as const
export type Channel = (typeof channels)[number]

type HumanMessageTable = {
  id: Generated<number>
  session_id: number
  author_key: string
  channel: Channel
  room_name: string | null
  entry_point: string
  content: string
  occurred_at: Date
}

export type Place = { session_id: number; channel: Channel }

/** Wrote to a session and could not be identified. */
export type UnidentifiedAuthor = Place & { author_id: string }

declare module '../../platform/db/tables.ts' {
  interface Tables {
    human_messages: HumanMessageTable
    unidentified_authors: UnidentifiedAuthor & { created_at: Generated<Date> }
    /** People wrote to them before messages were recorded. */
    unrecorded_sessions: Place
  }
}

export type HumanMessageRow = Selectable<HumanMessageTable> & { display_name: string | null }

export async function insertHumanMessage(tx: Transaction, row: Insertable<HumanMessageTable>): Promise<void> {
  await tx.insertInto('human_messages').values(row).execute()
}

export async function insertUnidentified(tx: Transaction, author: UnidentifiedAuthor): Promise<void> {
  await tx
    .insertInto('unidentified_authors')
    .values(author)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export function selectUnidentified(db: Database, sessionIds: readonly number[]): Promise<UnidentifiedAuthor[]> {
  return db
    .selectFrom('unidentified_authors')
    .select(['session_id', 'channel', 'author_id'])
    .where('session_id', 'in', sessionIds)
    .orderBy('created_at')
    .orderBy('author_id')
    .execute()
}

export function selectUnrecorded(db: Database, sessionIds: readonly number[]): Promise<Place[]> {
  return db
    .selectFrom('unrecorded_sessions')
    .select(['session_id', 'channel'])
    .where('session_id', 'in', sessionIds)
    .execute()
}

/** Where messages were sent that are older than this one. */
export async function selectOlderPlaces(
  db: Database,
  sessionIds: readonly number[],
  messageId: number,
): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select distinct older.session_id, older.channel
    from human_messages as older, human_messages as oldest
    where older.session_id = any (${sessionIds}::bigint[])
      and oldest.id = ${messageId}
      and (older.occurred_at, older.id) < (oldest.occurred_at, oldest.id)
  `.execute(db)
  return rows
}

/** Oldest first. Beyond the bounds only the latest messages are returned, at least one. */
export async function selectHumanMessages(
  db: Database,
  sessionIds: readonly number[],
  bounds: { count: number; bytes: number },
): Promise<HumanMessageRow[]> {
  const { rows } = await sql<HumanMessageRow>`
    with latest as (
      select *
      from human_messages
      where session_id = any (${sessionIds}::bigint[])
      order by occurred_at desc, id desc
      limit ${bounds.count}
    ),
    weighed as (
      select *, sum(octet_length(content)) over (order by occurred_at desc, id desc) - octet_length(content) as later_bytes
      from latest
    )
    select weighed.*, people.display_name
    from weighed
    left join people on people.key = weighed.author_key
    where later_bytes < ${bounds.bytes}
    order by occurred_at, id
  `.execute(db)
  return rows
}

/** The channels in which the author of a message can be identified. */
export async function selectIdentifyingChannels(db: Database): Promise<Record<Channel, boolean>> {
  const { rows } = await sql<Record<Channel, boolean>>`
    select
      exists (select from people where chat_user_id is not null) as chat,
      exists (select from people where is_admin) as web_ui
  `.execute(db)
  return rows[0] ?? { chat: false, web_ui: false }
}
