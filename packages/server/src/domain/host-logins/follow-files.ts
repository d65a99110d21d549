import { readIfPresent, readPrivateFile, writePrivateFile } from '../../platform/files/private-file.ts'
import { claimedText } from '../../runtimes/accounts/claimed-text.ts'
import type { Login, VendorAccounts } from '../../runtimes/accounts/vendor-accounts.ts'
import { adoptLogin, presentLoginFor } from '../accounts/account.ts'
import type { App } from '../app.ts'

/**
 * Keeps the login files of this host, which people's own CLIs may renew or replace, in step with the accounts. A file that
 * cannot be followed must not keep the others from it.
 */
export async function followFiles(app: App): Promise<void> {
  for (const runtime of app.runtimes.names()) {
    const vendor = app.runtimes.find(runtime)?.accounts
    if (vendor?.hostLoginFile === undefined) continue
    await app
      .accountMutex(`login file of ${runtime}`, undefined, () => followFile(app, runtime, vendor))
      .catch((error: unknown) => app.log.error({ err: error, runtime }, 'could not follow a login file of this host'))
  }
}

/**
 * A file with an earlier login of an account gets the present one, whichever host spent the earlier one: its owner's CLI would be
 * signed out. A login that is newer than the account's is taken over. Any other is left alone.
 */
async function followFile(app: App, runtime: string, vendor: VendorAccounts): Promise<void> {
  const found = await readHostLogin(vendor)
  if (!found) return
  const { file, text, email, login } = found
  const present = await presentLoginFor(app, { runtime, email, login })
  if (present) await writePrivateFile(file, vendor.writeLogin(present, text), { keepsOwner: true })
  else if (await adoptLogin(app, { runtime, email, login }))
    app.log.info({ runtime }, 'a login that was found on this host is used for its account')
}

type HostLogin = { file: string; text: string; login: Login; email: string }

/** Whose login it is says the login itself, or a file beside it. Without either nothing is copied. */
async function readHostLogin({ hostLoginFile: file, readLogin }: VendorAccounts): Promise<HostLogin | undefined> {
  const text = file === undefined ? undefined : await readPrivateFile(file).catch(() => undefined)
  const login = text === undefined ? undefined : readLogin(text)
  if (file === undefined || text === undefined || !login) return undefined
  const email = login.email ?? claimedText(await readIfPresent(`${file}${ownerSuffix}`))
  return email ? { file, text, login, email } : undefined
}

const ownerSuffix = '.account'
