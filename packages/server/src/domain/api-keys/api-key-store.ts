import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { KeyScope } from '../../platform/http/key-check.ts'

type ApiKeyTable = {
  id: Generated<number>
  hash: Buffer
  label: string
  scope: KeyScope
  beginning: string
  made_by: 'operator' | 'command'
  created_at: Generated<Date>
  expires_at: Date | null
  revoked_at: Generated<Date | null>
  last_used_at: Generated<Date | null>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    api_keys: ApiKeyTable
  }
}

export type ApiKeyRow = Omit<Selectable<ApiKeyTable>, 'hash'>

const columns = [
  'id',
  'label',
  'scope',
  'beginning',
  'made_by',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

/** By the hash of the whole key: how long it takes reveals nothing about the keys that there are. */
export function selectApiKey(db: Database, hash: Buffer): Promise<ApiKeyRow | undefined> {
  return db.selectFrom('api_keys').select(columns).where('hash', '=', hash).executeTakeFirst()
}

export function selectApiKeys(db: Database): Promise<ApiKeyRow[]> {
  return db.selectFrom('api_keys').select(columns).orderBy('id', 'desc').execute()
}

export async function selectValidKeyIds(db: Database, ids: readonly number[], now: Date): Promise<number[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .execute()
  return rows.map(({ id }) => id)
}

export function insertApiKey(
  tx: Transaction,
  values: Pick<ApiKeyRow, 'label' | 'scope' | 'beginning' | 'made_by' | 'expires_at'> & { hash: Buffer },
): Promise<ApiKeyRow> {
  return tx.insertInto('api_keys').values(values).returning(columns).executeTakeFirstOrThrow()
}

/** Undefined if there is no such key. The first revocation counts. */
export function updateRevoked(db: Database, id: number, now: Date): Promise<ApiKeyRow | undefined> {
  return db
    .updateTable('api_keys')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, ${now})` })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
}

/** Of several hosts that write at once, the first one does. */
export async function updateLastUse(db: Database, id: number, { now, unlessAfter }: { now: Date; unlessAfter: Date }) {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<=', unlessAfter)]))
    .execute()
}
