import { readIfPresent, readPrivateFile, writePrivateFile } from '../../platform/files/private-file.ts'
import type { Login, VendorAccounts } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { selectAccounts } from './account-store.ts'

/**
 * The login file of this host, which a person's own CLI may renew or replace.
 * Whose login it is says the login itself, or a file beside it. Without either nothing is copied.
 */
type HostLogin = { file: string; login: Login; email: string }

export async function readHostLogin({
  hostLoginFile: file,
  readLogin,
}: VendorAccounts): Promise<HostLogin | undefined> {
  const text = file === undefined ? undefined : await readPrivateFile(file).catch(() => undefined)
  const login = text === undefined ? undefined : readLogin(text)
  if (file === undefined || !login) return undefined
  const email = login.email ?? (await readIfPresent(`${file}${ownerSuffix}`))?.trim()
  return email ? { file, login, email } : undefined
}

const ownerSuffix = '.account'

/** The file held the token that was just spent: its owner's CLI would be signed out. After the row was saved, never before. */
export async function renewHostLogin(
  app: App,
  { id, spent, renewed }: { id: number; spent: Login; renewed: Login },
): Promise<void> {
  const account = (await selectAccounts(app.db)).find((each) => each.id === id)
  const vendor = account && app.runtimes.find(account.runtime)?.accounts
  const found = vendor && (await readHostLogin(vendor))
  if (!vendor || !found || found.email !== account.email || found.login.refreshToken !== spent.refreshToken) return
  await writePrivateFile(found.file, vendor.writeLogin(renewed)).catch((error: unknown) =>
    app.log.warn({ err: error }, 'could not write a refreshed login to its file on this host'),
  )
}
