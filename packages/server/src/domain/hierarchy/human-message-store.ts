import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

export type Channel = 'web_ui' | 'chat'

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

declare module '../../platform/db/tables.ts' {
  interface Tables {
    human_messages: HumanMessageTable
    people: {
      key: string
      display_name: string
      is_admin: Generated<boolean>
      chat_user_id: string | null
      created_at: Generated<Date>
    }
  }
}

export type HumanMessageRow = Selectable<HumanMessageTable> & { display_name: string | null }

export async function insertHumanMessage(tx: Transaction, row: Insertable<HumanMessageTable>): Promise<void> {
  await tx.insertInto('human_messages').values(row).execute()
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
