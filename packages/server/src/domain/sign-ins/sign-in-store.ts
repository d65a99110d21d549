import type { Page } from '@yardmaster/contract/paging'
import type { signedInBy } from '@yardmaster/contract/sign-ins/fields'
import { type Generated, type Insertable, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { KeyScope } from '../../platform/http/key-check.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

export type SignedInBy = (typeof signedInBy)[number]

type SignInTable = {
  id: Generated<number>
  token_hash: Buffer
  key_hash: Buffer | null
  api_key_id: number | null
  signed_in_by: SignedInBy
  person_key: Generated<string | null>
  is_operator: Generated<boolean>
  user_agent: string | null
  created_at: Date
  last_used_at: Date
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    sign_ins: SignInTable
    used_sign_in_links: { secret_hash: Buffer; used_at: Date }
  }
}

export type SignInRow = Omit<Selectable<SignInTable>, 'token_hash'> & {
  display_name: string | null
  /** Of the stored key with which the browser signed in. */
  key_label: string | null
  key_scope: KeyScope | null
  is_key_valid: boolean
}

/** With the name of the person, and what the key may do. */
function signIns(db: Database) {
  return db
    .selectFrom('sign_ins')
    .leftJoin('people', 'people.key', 'sign_ins.person_key')
    .leftJoin('api_keys', 'api_keys.id', 'sign_ins.api_key_id')
    .select([
      'sign_ins.id',
      'sign_ins.key_hash',
      'sign_ins.api_key_id',
      'sign_ins.signed_in_by',
      'sign_ins.person_key',
      'sign_ins.is_operator',
      'sign_ins.user_agent',
      'sign_ins.created_at',
      'sign_ins.last_used_at',
      'people.display_name',
      'api_keys.label as key_label',
      'api_keys.scope as key_scope',
      sql<boolean>`coalesce(
        api_keys.revoked_at is null and (api_keys.expires_at is null or api_keys.expires_at > now()), false
      )`.as('is_key_valid'),
    ])
}

export function selectSignIn(db: Database, tokenHash: Buffer): Promise<SignInRow | undefined> {
  return signIns(db).where('sign_ins.token_hash', '=', tokenHash).executeTakeFirst()
}

export function selectSignIns(db: Database, page: Page): Promise<Paged<SignInRow>> {
  return selectPage(signIns(db).orderBy('sign_ins.last_used_at', 'desc').orderBy('sign_ins.id', 'desc'), page)
}

export function selectSignInsById(db: Database, ids: readonly number[]): Promise<SignInRow[]> {
  return signIns(db).where('sign_ins.id', 'in', ids).execute()
}

export async function insertSignIn(tx: Transaction, values: Insertable<SignInTable>): Promise<void> {
  await tx.insertInto('sign_ins').values(values).execute()
}

export async function updateSignIn(
  db: Database,
  id: number,
  values: Partial<Pick<SignInRow, 'person_key' | 'is_operator' | 'last_used_at'>>,
): Promise<void> {
  await db.updateTable('sign_ins').set(values).where('id', '=', id).execute()
}

export async function deleteSignIn(db: Database, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('sign_ins').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** False if the link was used before. Of two transactions with one link the second waits for the first. */
export async function insertUsedLink(tx: Transaction, secretHash: Buffer, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('used_sign_in_links')
    .values({ secret_hash: secretHash, used_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function deleteOldSignIns(db: Database, { days, limit }: Slice): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sign_ins
    where id in (select id from sign_ins where last_used_at < now() - make_interval(days => ${days}) limit ${limit})
  `.execute(db)
  return Number(numAffectedRows)
}

export async function deleteOldLinks(db: Database, { days, limit }: Slice): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from used_sign_in_links
    where secret_hash in (
      select secret_hash from used_sign_in_links where used_at < now() - make_interval(days => ${days}) limit ${limit}
    )
  `.execute(db)
  return Number(numAffectedRows)
}
