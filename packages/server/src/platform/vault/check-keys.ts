import { StartupError } from '../startup-error.ts'
import { keyFileName, type MasterKey } from './master-key.ts'
import { type Place, seal, unseal } from './seal.ts'
import type { VaultKeyRow } from './vault-key-store.ts'

/** What a host has of the keys in the database. It seals by the current one. */
export type Keys = { current: MasterKey; all: readonly MasterKey[] }

/** A host without one of them could not read what other hosts seal. While keys are rotated there are two. */
export function checkKeys(rows: readonly VaultKeyRow[], all: readonly MasterKey[], file: string): Keys {
  const [current] = rows.map(({ id, check_value }) => {
    const key = all.find((each) => each.id === id)
    return key && unseal([key], checkPlace(id), check_value) === checkText ? key : refuseKey(id, file)
  })
  if (!current) throw new Error('the vault has no key')
  return { current, all }
}

const checkText = 'yardmaster'

/** The row of a key that is current from now on. */
export function rowOf(key: MasterKey): VaultKeyRow {
  return { id: key.id, check_value: seal(key, checkPlace(key.id), checkText), is_current: true }
}

function checkPlace(id: string): Place {
  return { table: 'vault_keys', column: 'check_value', id }
}

function refuseKey(id: string, file: string): never {
  throw new StartupError(
    `The credentials in this database are sealed by a key that this host does not have (${id}). Copy the file ${keyFileName} from the home of the host that made it to ${file}, or set YARDMASTER_MASTER_KEY to the key of the other hosts.`,
  )
}
