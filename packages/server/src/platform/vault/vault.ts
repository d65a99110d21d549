import { takeLock } from '../db/advisory-locks.ts'
import type { Database, Transaction } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import type { Home } from '../home/home.ts'
import type { KnownSecret } from '../redaction/redactor.ts'
import { checkKeys, type Keys, rowOf } from './check-keys.ts'
import { type KnownCredentials, openKnownCredentials } from './known-credentials.ts'
import { keyFileName, newMasterKey, readKeyFile, readMasterKeys, spellingsOf, writeKeyFile } from './master-key.ts'
import { type Place, seal, unseal } from './seal.ts'
import { insertVaultKey, selectVaultKeys } from './vault-key-store.ts'

/** Credentials are sealed before they are stored. What it sealed or opened is known to the redactor from then on. */
export type Vault = {
  seal(place: Place, text: string): string
  /** A text that was changed, or sealed for another place, is a fault. */
  open(place: Place, sealed: string): string
  /** The values that the redactor removes: those of credentials, and the keys of the vault. */
  known(): readonly KnownSecret[]
  /** Whether no more values can be known than are. */
  isFull(): boolean
}

/** `given`: the keys of the environment. Without them the home's, which the first host on an empty database makes. */
export async function openVault(options: {
  given: string | undefined
  home: Pick<Home, 'in'>
  db: Database
}): Promise<Vault> {
  return vaultOf(await transact(options.db, (tx) => findKeys(tx, options)), openKnownCredentials())
}

function vaultOf({ current, all }: Keys, credentials: KnownCredentials): Vault {
  const ownKeys = all.flatMap(spellingsOf).map((value) => ({ label: 'MASTER_KEY', value }))
  let known: { from: readonly KnownSecret[]; list: readonly KnownSecret[] } | undefined
  return {
    seal(place, text) {
      credentials.learn(place.table, text)
      return seal(current, place, text)
    },
    open(place, sealed) {
      const text = unseal(all, place, sealed)
      credentials.learn(place.table, text)
      return text
    },
    known() {
      const from = credentials.all()
      if (known?.from !== from) known = { from, list: [...ownKeys, ...from] }
      return known.list
    },
    isFull: credentials.isFull,
  }
}

/**
 * The key file is written before the row: after a crash between the two, the next start takes the file's key. The lock lets one
 * of several hosts that start at once make the key; the others are refused by its row.
 */
async function findKeys(
  tx: Transaction,
  { given, home }: { given: string | undefined; home: Pick<Home, 'in'> },
): Promise<Keys> {
  await takeLock(tx, 'vaultKeys')
  const rows = await selectVaultKeys(tx)
  const file = home.in(keyFileName)
  const kept = given === undefined ? await readKeyFile(file) : readMasterKeys(given)
  if (rows.length > 0) return checkKeys(rows, kept ?? [], { given, file })
  const all = kept ?? [newMasterKey()]
  const [current] = all
  if (!current) throw new Error('a list of keys has no key')
  if (kept === undefined) await writeKeyFile(file, all)
  await insertVaultKey(tx, rowOf(current))
  return { current, all }
}
