import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Transaction } from '../db/database.ts'
import { StartupError } from '../startup-error.ts'

declare module '../db/tables.ts' {
  interface Tables {
    vault_keys: {
      id: string
      /** A known text, sealed by the key: shows whether a host has it. */
      check_value: string
      is_current: boolean
    }
  }
}

export type VaultKeyRow = { id: string; check_value: string; is_current: boolean }

export function selectVaultKeys(tx: Transaction): Promise<VaultKeyRow[]> {
  return tx.selectFrom('vault_keys').select(['id', 'check_value', 'is_current']).orderBy('is_current', 'desc').execute()
}

/** There is one current key, so the one that was is not any more. */
export async function insertVaultKey(tx: Transaction, row: VaultKeyRow): Promise<void> {
  await tx.updateTable('vault_keys').set({ is_current: false }).where('is_current', '=', true).execute()
  await tx.insertInto('vault_keys').values(row).execute()
}

export async function deleteOtherVaultKeys(tx: Transaction, id: string): Promise<void> {
  await tx.deleteFrom('vault_keys').where('id', '<>', id).execute()
}

export async function deleteAllVaultKeys(tx: Transaction): Promise<void> {
  await tx.deleteFrom('vault_keys').execute()
}

const stillStoppingMs = 3_000

/** By the names of their connections. PostgreSQL lists those of a host that has just stopped for a moment longer. */
export async function refuseConnectedHosts(tx: Transaction): Promise<void> {
  const deadline = performance.now() + stillStoppingMs
  while (await isHostConnected(tx)) {
    if (performance.now() > deadline)
      throw new StartupError('Yardmaster runs on this database. Stop it on every host, and run this again.')
    await wait(100)
  }
}

async function isHostConnected(tx: Transaction): Promise<boolean> {
  // Without this a transaction sees the connections of its first look again.
  await sql`select pg_stat_clear_snapshot()`.execute(tx)
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name in ('yardmaster requests', 'yardmaster control')
    limit 1
  `.execute(tx)
  return rows.length > 0
}
