import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { Login, RefreshAnswer, VendorAccounts } from '../../runtimes/accounts/vendor-accounts.ts'
import type { App } from '../app.ts'
import { lockAccount, selectDueAccounts, updateAccount } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { eachAccount } from './each-account.ts'
import { accountsChanged } from './events.ts'
import { digestOf, loginColumns, openLogin } from './logins.ts'
import { condemn } from './needs-reauth.ts'
import { recordReplaced } from './past-tokens.ts'
import { believedPauseMinutes, isRefreshDue, waitsForRetry } from './refresh-due.ts'
import { forgetSending, recordSending } from './refresh-store.ts'
import { deadRetryAt, nextStrikeAt, noStrikes, retryAt, strike } from './strikes.ts'

export type Refreshed = 'renewed' | 'not_due' | 'needs_reauth' | 'failed'

/** A token that expires within this time is refreshed. */
const dueMinutes = 15

/**
 * Refreshes an account's tokens if `isDue` says so of the row as it is under the lock: of many callers at once, one sends a
 * request. The lock lasts over reading, asking the vendor and saving, because a refresh token is used once.
 */
export async function refreshTokens(
  app: App,
  id: number,
  isDue: (account: AccountRow) => boolean = () => true,
): Promise<Refreshed> {
  // One connection for each account: further callers of this host wait here.
  return app.accountMutex(`refresh ${id}`, undefined, () => refreshOnce(app, id, isDue))
}

type Sent = { digest: Buffer; answer: RefreshAnswer; wasLost: boolean }

async function refreshOnce(app: App, id: number, isDue: (account: AccountRow) => boolean): Promise<Refreshed> {
  // Outlives the transaction: whatever happens to that one, the token is sent once and its answer is saved.
  let sent: Sent | undefined
  return untilReachable(() =>
    transact(app.db, async (tx): Promise<Refreshed> => {
      const account = await lockAccount(tx, id)
      const login = account && openLogin(app, account)
      const vendor = account && app.runtimes.find(account.runtime)?.accounts
      if (!account || !vendor || !login?.refreshToken) return 'not_due'
      const digest = digestOf(login.refreshToken)
      if (sent === undefined) {
        if (!isDue(account)) return 'not_due'
        sent = await send(app, vendor, { id, login, digest })
      }
      if (!sent.digest.equals(digest)) return 'not_due'
      return settle(app, tx, account, sent)
    }),
  )
}

async function send(
  app: App,
  vendor: VendorAccounts,
  { id, login, digest }: { id: number; login: Login; digest: Buffer },
): Promise<Sent> {
  const wasLost = await recordSending(app.db, id, digest)
  return { digest, wasLost, answer: await vendor.refresh(login) }
}

/** In the transaction that holds the row. Every answer changes the row or its record, so that no token dies unnoticed. */
async function settle(app: App, tx: Transaction, account: AccountRow, { answer, wasLost }: Sent): Promise<Refreshed> {
  const now = app.clock.now()
  // A vendor that did not answer changed nothing that a reader or a parked session could use.
  if (answer.kind !== 'unavailable' && answer.kind !== 'lost')
    await app.events.publish(tx, accountsChanged, { payload: { runtime: account.runtime } })
  switch (answer.kind) {
    case 'renewed':
      await forgetSending(tx, account.id)
      await recordReplaced(app, tx, account, answer.login)
      await updateAccount(tx, account.id, {
        ...loginColumns(app, account.id, answer.login),
        ...noStrikes,
        ...(account.status === 'needs_reauth' && revived(account, now)),
        transient_refresh_failures: 0,
        retry_refresh_at: null,
        last_refreshed_at: now,
      })
      return 'renewed'
    case 'dead':
      await forgetSending(tx, account.id)
      await condemn(app, tx, account, `A refresh was refused. ${answer.detail}`)
      return 'needs_reauth'
    case 'unknown_token': {
      await forgetSending(tx, account.id)
      const { isCondemned, ...strikes } = strike(account, now)
      await updateAccount(tx, account.id, { ...strikes, retry_refresh_at: nextStrikeAt(now) })
      const isDead = account.status === 'needs_reauth'
      if (!wasLost && !isCondemned && !isDead) return 'failed'
      const why = wasLost ? 'The answer to its last refresh was lost.' : 'Three refreshes were refused.'
      await condemn(app, tx, account, `${isDead ? 'A refresh was refused.' : why} ${answer.detail}`)
      return 'needs_reauth'
    }
    case 'unavailable':
    case 'lost': {
      // After a lost answer the record stays: the next attempt with the same token says whether it is spent.
      if (answer.kind === 'unavailable' && !wasLost) await forgetSending(tx, account.id)
      const failures = account.transient_refresh_failures + 1
      await updateAccount(tx, account.id, {
        transient_refresh_failures: failures,
        retry_refresh_at: account.status === 'needs_reauth' ? deadRetryAt(failures, now) : retryAt(failures, now),
      })
      app.log.warn({ account_id: account.id, detail: answer.detail }, 'an account could not be refreshed; retrying')
      return 'failed'
    }
  }
}

/** The vendor accepted a login that it had refused. A window that was spent before may still be. */
function revived({ quota_resets_at: resetsAt }: AccountRow, now: Date) {
  return resetsAt !== null && resetsAt > now
    ? { status: 'quota_exceeded' as const, status_reason: 'The quota is spent.' }
    : { status: 'active' as const, status_reason: null, quota_resets_at: null }
}

/** Every five minutes: what expires soon, and dead accounts whose pause is over, one after the other. */
export async function refreshDue(app: App, signal: AbortSignal): Promise<void> {
  const isDue = (account: AccountRow): boolean => {
    const now = app.clock.now()
    return account.status === 'needs_reauth' ? !waitsForRetry(account, now) : isRefreshDue(dueMinutes, now)(account)
  }
  const due = await selectDueAccounts(app.db, { withinMinutes: dueMinutes, pauseMinutes: believedPauseMinutes })
  await eachAccount(app, due, ({ id }) => refreshTokens(app, id, isDue), signal)
}
