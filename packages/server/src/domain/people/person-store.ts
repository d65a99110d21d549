import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'

type PersonTable = {
  key: string
  display_name: string
  is_admin: Generated<boolean>
  chat_user_id: string | null
  created_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    people: PersonTable
  }
}

export type PersonRow = Selectable<PersonTable>

export function selectPeople(db: Database, page: Page): Promise<Paged<PersonRow>> {
  return selectPage(db.selectFrom('people').selectAll().orderBy('key'), page)
}

export function selectPerson(db: Database, key: string): Promise<PersonRow | undefined> {
  return db.selectFrom('people').selectAll().where('key', '=', key).executeTakeFirst()
}

/** Keeps the person on the list until the transaction ends, so that no one else gets the key before a message under it. */
export async function findPersonByChatUser(tx: Transaction, chatUserId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('people')
    .select('key')
    .where('chat_user_id', '=', chatUserId)
    .forKeyShare()
    .executeTakeFirst()
  return row?.key
}

/** As `findPersonByChatUser`, by the key. */
export async function findPerson(tx: Transaction, key: string): Promise<string | undefined> {
  const row = await tx.selectFrom('people').select('key').where('key', '=', key).forKeyShare().executeTakeFirst()
  return row?.key
}

/** However it is capitalised. Of several, the one who was added first. */
export function findPersonByName(tx: Transaction, name: string): Promise<PersonRow | undefined> {
  return tx
    .selectFrom('people')
    .selectAll()
    .where(sql`lower(display_name)`, '=', name.toLowerCase())
    .orderBy('created_at')
    .orderBy('key')
    .limit(1)
    .executeTakeFirst()
}

/** False if the key is taken. */
export async function insertPersonUnlessTaken(tx: Transaction, values: Insertable<PersonTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('people')
    .values(values)
    .onConflict((conflict) => conflict.column('key').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export function insertPerson(tx: Transaction, values: Insertable<PersonTable>): Promise<PersonRow> {
  return tx.insertInto('people').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Whether messages are recorded under the key. */
export async function hasAuthored(tx: Transaction, key: string): Promise<boolean> {
  const message = await tx
    .selectFrom('human_messages')
    .select('id')
    .where('author_key', '=', key)
    .limit(1)
    .executeTakeFirst()
  return message !== undefined
}

export function updatePerson(
  db: Database,
  key: string,
  values: Updateable<PersonTable>,
): Promise<PersonRow | undefined> {
  return db.updateTable('people').set(values).where('key', '=', key).returningAll().executeTakeFirst()
}

export async function deletePerson(db: Database, key: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('people').where('key', '=', key).executeTakeFirst()
  return numDeletedRows > 0n
}
