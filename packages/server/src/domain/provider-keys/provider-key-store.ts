import { type Generated, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /** `key` is sealed. */
    provider_keys: { runtime: string; key: string; updated_at: Generated<Date> }
  }
}

export function selectProviderKeys(db: Database): Promise<{ runtime: string; updated_at: Date }[]> {
  return db.selectFrom('provider_keys').select(['runtime', 'updated_at']).orderBy('runtime').execute()
}

export async function selectSealedKey(db: Database, runtime: string): Promise<string | undefined> {
  const row = await db.selectFrom('provider_keys').select('key').where('runtime', '=', runtime).executeTakeFirst()
  return row?.key
}

export async function upsertProviderKey(db: Database, runtime: string, key: string): Promise<void> {
  await db
    .insertInto('provider_keys')
    .values({ runtime, key })
    .onConflict((conflict) => conflict.column('runtime').doUpdateSet({ key, updated_at: sql<Date>`now()` }))
    .execute()
}

export async function deleteProviderKeyRow(db: Database, runtime: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('provider_keys').where('runtime', '=', runtime).executeTakeFirst()
  return numDeletedRows > 0n
}
