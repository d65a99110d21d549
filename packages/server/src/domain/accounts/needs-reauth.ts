import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { notify } from '../notifications/notification.ts'
import { lockAccount, selectAccounts, updateAccount } from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { accountNeedsReauth } from './events.ts'
import { selectLastSessionOf } from './session-store.ts'
import { deadRetryAt } from './strikes.ts'

/** An account that keeps failing must not flood the operator. A sign-in ends the silence. */
const silenceMs = 12 * 3600_000
const maxReason = 500

/**
 * A person has to help: says so on the row, and tells the operator once in twelve hours. The caller holds the row. Its refresh
 * token, if it has one, is tried again after growing pauses, counted since the account was condemned.
 */
export async function condemn(app: App, tx: Transaction, account: AccountRow, reason: string): Promise<void> {
  const { id, runtime, email, reauth_notified_at: notifiedAt } = account
  const now = app.clock.now()
  const isNew = account.status !== 'needs_reauth'
  const failures = isNew ? 0 : account.transient_refresh_failures + 1
  await updateAccount(tx, id, {
    status: 'needs_reauth',
    status_reason: truncate(app.redactor.excerpt(reason), maxReason, '…'),
    transient_refresh_failures: failures,
    retry_refresh_at: account.can_refresh ? deadRetryAt(failures, now) : null,
  })
  app.log.error({ account_id: id, runtime }, 'a vendor account has to be signed in again')
  // In either direction: a time far ahead was written by a host whose clock was wrong.
  if (notifiedAt !== null && Math.abs(now.getTime() - notifiedAt.getTime()) < silenceMs) return
  const isTold = await tellOperator(app, tx, account)
  if (isTold || isNew) await app.events.publish(tx, accountNeedsReauth, { payload: { account_id: id, runtime, email } })
}

/** A notification is always about a session. False if the runtime has none: the operator is not told yet. */
async function tellOperator(app: App, tx: Transaction, { id, runtime, email }: AccountRow): Promise<boolean> {
  const session = await selectLastSessionOf(tx, runtime)
  if (!session) return false
  const now = app.clock.now()
  await notify(app, tx, {
    session,
    type: 'account_needs_reauth',
    body: `The account ${email} of ${runtime} has to be signed in again: open /inference.`,
    marker: `account ${id} ${now.toISOString()}`,
  })
  await updateAccount(tx, id, { reauth_notified_at: now })
  return true
}

/** Every five minutes: accounts that were condemned while their runtime had no session. */
export async function tellOfDeadAccounts(app: App): Promise<void> {
  const isUntold = ({ status, reauth_notified_at: at }: AccountRow): boolean => status === 'needs_reauth' && at === null
  for (const { id } of (await selectAccounts(app.db)).filter(isUntold)) {
    await transact(app.db, async (tx) => {
      const account = await lockAccount(tx, id)
      if (account && isUntold(account)) await tellOperator(app, tx, account)
    })
  }
}
