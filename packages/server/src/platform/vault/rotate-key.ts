import { takeLock } from '../db/advisory-locks.ts'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import type { Home } from '../home/home.ts'
import { StartupError } from '../startup-error.ts'
import { checkKeys, rowOf } from './check-keys.ts'
import { keyFileName, type MasterKey, newMasterKey, readKeyFile, readMasterKeys, writeKeyFile } from './master-key.ts'
import { isSealedBy, seal, unseal } from './seal.ts'
import { replaceSealed, type SealedTable, sealedRows } from './sealed-columns.ts'
import {
  deleteOtherVaultKeys,
  insertVaultKey,
  refuseConnectedHosts,
  selectVaultKeys,
  type VaultKeyRow,
} from './vault-key-store.ts'

export type RotationOptions = {
  /** The keys of the environment, the new one first. Without them the file in the home changes. */
  given: string | undefined
  home: Pick<Home, 'in'>
  db: Database
  tables: readonly SealedTable[]
  /** Called before each step that changes something. */
  onStep?(sentence: string): void
}

export type Rotated = { id: string; values: number }

/**
 * Seals every credential by a new key and gives up the old one. Both keys are kept until that is done, so a run that was killed
 * is completed by the next one, and a host starts in between. The key is in its file, on disk, before a row needs it.
 */
export async function rotateKey(options: RotationOptions): Promise<Rotated> {
  const { given, home, db, onStep = () => undefined } = options
  const file = home.in(keyFileName)
  const keys = given === undefined ? await newKeys(options, file) : givenKeys(await readRows(db), given, file)
  const [target] = keys
  if (!target) throw new Error('a list of keys has no key')

  onStep('announcing the new key')
  await transact(db, async (tx) => {
    await takeLock(tx, 'vaultKeys')
    // Under the lock, which each host takes when it starts: a host that starts later finds the row of the new key.
    await refuseConnectedHosts(tx)
    const rows = await selectVaultKeys(tx)
    if (!rows.some(({ id }) => id === target.id)) await insertVaultKey(tx, rowOf(target))
  })
  const values = await sealAgain(options, keys, target)
  onStep('giving up the old key')
  await transact(db, async (tx) => {
    await takeLock(tx, 'vaultKeys')
    await deleteOtherVaultKeys(tx, target.id)
  })
  onStep('removing the old key from the home')
  if (given === undefined) await writeKeyFile(file, [target])
  return { id: target.id, values }
}

/** The file with the new key and the old one. A file with two keys is that of a run that did not finish. */
async function newKeys({ db, onStep = () => undefined }: RotationOptions, file: string): Promise<readonly MasterKey[]> {
  const rows = await readRows(db)
  const kept = (await readKeyFile(file)) ?? []
  checkKeys(rows, kept, { given: undefined, file })
  if (kept.length > 1) return kept
  const keys = [newMasterKey(), ...kept]
  onStep('writing the new key into the home')
  await writeKeyFile(file, keys)
  return keys
}

function givenKeys(rows: readonly VaultKeyRow[], given: string, file: string): readonly MasterKey[] {
  const keys = readMasterKeys(given) ?? []
  checkKeys(rows, keys, { given, file })
  if (keys.length > 1) return keys
  return refuse(
    'The key is in YARDMASTER_MASTER_KEY, which this command cannot change. Make another with openssl rand -base64 32, set the variable to the new key, a comma and the old one, run this, and then remove the old one on every host.',
  )
}

async function readRows(db: Database): Promise<VaultKeyRow[]> {
  const rows = await transact(db, selectVaultKeys)
  return rows.length > 0 ? rows : refuse('There is no key to rotate: Yardmaster was not started on this database yet.')
}

/** Until a pass over all tables finds nothing: a host that started meanwhile may have stored more by the old key. */
async function sealAgain(
  { db, tables, onStep = () => undefined }: RotationOptions,
  keys: readonly MasterKey[],
  target: MasterKey,
): Promise<number> {
  let total = 0
  for (let changed = -1; changed !== 0; total += changed) {
    changed = 0
    for (const declared of tables) {
      for await (const rows of sealedRows(db, declared)) {
        onStep(`sealing ${declared.table} by the new key`)
        for (const { id, values } of rows) {
          for (const [column, sealed] of Object.entries(values)) {
            if (sealed === null || isSealedBy(target, sealed)) continue
            const place = { table: declared.table, column, id }
            const to = seal(target, place, unseal(keys, place, sealed))
            await replaceSealed(db, declared, { row: id, column, from: sealed, to })
            changed += 1
          }
        }
      }
    }
  }
  return total
}

function refuse(sentence: string): never {
  throw new StartupError(sentence)
}
