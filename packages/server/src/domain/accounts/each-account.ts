import type { App } from '../app.ts'
import type { AccountRow } from './account-table.ts'

/** One after the other. An account that fails, for instance one that cannot be opened, must not keep the others waiting. */
export async function eachAccount(
  app: App,
  accounts: readonly AccountRow[],
  work: (account: AccountRow) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  for (const account of accounts) {
    if (signal?.aborted) return
    await work(account).catch((error: unknown) =>
      app.log.error({ err: error, account_id: account.id }, 'an account could not be refreshed or measured'),
    )
  }
}
