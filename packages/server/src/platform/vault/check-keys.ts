import { StartupError } from '../startup-error.ts'
import { keyFileName, type MasterKey } from './master-key.ts'
import { type Place, seal, unseal } from './seal.ts'
import type { VaultKeyRow } from './vault-key-store.ts'

/** What a host has of the keys in the database. It seals by the current one. */
export type Keys = { current: MasterKey; all: readonly MasterKey[] }

/** Keys that are `given` by the environment go before those of the file. */
export type KeySource = { given: string | undefined; file: string }

/** A host without one of them could not read what other hosts seal. While keys are rotated there are two. */
export function checkKeys(rows: readonly VaultKeyRow[], all: readonly MasterKey[], source: KeySource): Keys {
  const [current] = rows.map(({ id, check_value }) => {
    const key = all.find((each) => each.id === id)
    return key && unseal([key], checkPlace(id), check_value) === checkText ? key : refuseKey(id, source)
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

function refuseKey(id: string, { given, file }: KeySource): never {
  const advice =
    given === undefined
      ? `Copy the file ${keyFileName} from the home of the host that made it to ${file}, or set YARDMASTER_MASTER_KEY to the key of the other hosts.`
      : `Set YARDMASTER_MASTER_KEY to the key of the other hosts, or unset it if the right key is in ${file}, which is not read while the variable is set.`
  throw new StartupError(
    `The credentials in this database are sealed by a key that this host does not have (${id}). ${advice} If the key is lost: npm run rotate-key -- --forget-credentials`,
  )
}
