import { sql } from 'kysely'
import { takeLock } from '../db/advisory-locks.ts'
import { transact } from '../db/transact.ts'
import { StartupError } from '../startup-error.ts'
import { keyFileName, readKeyFile, readMasterKeys } from './master-key.ts'
import type { RotationOptions } from './rotate-key.ts'
import { deleteAllVaultKeys, refuseConnectedHosts, selectVaultKeys } from './vault-key-store.ts'

/**
 * For a key that is lost: deletes every row with a sealed text, and the key, so that the next start makes another one. Refuses while this
 * host has the key. Returns the number of rows.
 */
export function forgetSealed({ given, home, db, tables }: RotationOptions): Promise<number> {
  return transact(db, async (tx) => {
    await takeLock(tx, 'vaultKeys')
    await refuseConnectedHosts(tx)
    const ids = (await selectVaultKeys(tx)).map(({ id }) => id)
    const keys = given === undefined ? await readKeyFile(home.in(keyFileName)) : readMasterKeys(given)
    if (ids.every((id) => keys?.some((key) => key.id === id)))
      throw new StartupError('No key is lost: this host has all that the database needs.')
    let total = 0
    for (const { table, columns } of tables) {
      const isSealed = sql.join(
        columns.map((column) => sql`${sql.ref(column)} is not null`),
        sql` or `,
      )
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${isSealed}`.execute(tx)
      total += Number(numAffectedRows ?? 0)
    }
    await deleteAllVaultKeys(tx)
    return total
  })
}
