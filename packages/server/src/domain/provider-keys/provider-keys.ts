import type { ProviderKey } from '@yardmaster/contract/accounts/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { deleteProviderKeyRow, selectProviderKeys, selectSealedKey, upsertProviderKey } from './provider-key-store.ts'

/** The keys of runtimes without accounts: written and deleted, never answered. */
export async function listProviderKeys(app: App): Promise<ProviderKey[]> {
  const rows = await selectProviderKeys(app.db)
  return rows.map(({ runtime, updated_at }) => ({
    runtime,
    variable: app.runtimes.find(runtime)?.providerKeyVariable ?? '',
    updated_at: formatTimestamp(updated_at),
  }))
}

export async function setProviderKey(app: App, runtime: string, key: string): Promise<ProviderKey> {
  const found = app.runtimes.find(runtime)
  if (!found) refuseMissing()
  if (found.providerKeyVariable === undefined)
    refuse('validation_failed', `Runtime ${runtime} takes no stored key: it has accounts, or names no variable for one`)
  await upsertProviderKey(app.db, runtime, app.vault.seal(placeOf(runtime), key))
  const stored = (await listProviderKeys(app)).find((each) => each.runtime === runtime)
  return stored ?? refuseMissing()
}

export async function deleteProviderKey(app: App, runtime: string): Promise<void> {
  if (!(await deleteProviderKeyRow(app.db, runtime))) refuseMissing()
}

/** For the agent of a turn. */
export async function openProviderKey(app: App, { name, providerKeyVariable }: Runtime): Promise<string | undefined> {
  const sealed = providerKeyVariable === undefined ? undefined : await selectSealedKey(app.db, name)
  return sealed === undefined ? undefined : app.vault.open(placeOf(name), sealed)
}

function placeOf(runtime: string) {
  return { table: 'provider_keys', column: 'key', id: runtime }
}
