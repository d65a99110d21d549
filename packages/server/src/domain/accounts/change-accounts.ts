import type { Account } from '@yardmaster/contract/accounts/fields'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  deleteAccountRow,
  lockAccount,
  selectAccount,
  selectAccounts,
  setCurrent,
  updateAccount,
} from './account-store.ts'
import type { AccountRow } from './account-table.ts'
import { eachAccount } from './each-account.ts'
import { accountsChanged } from './events.ts'
import { measure } from './measure.ts'
import { recordReplaced } from './past-tokens.ts'
import { isServable, settlePool, settlePoolNow } from './pool.ts'
import { lockPool } from './pool-store.ts'
import { showAccount } from './present.ts'
import { refreshTokens } from './refresh.ts'

export async function setPriority(app: App, id: number, priority: number): Promise<Account> {
  await transact(app.db, async (tx) => {
    const account = await lockAccount(tx, id)
    if (!account) refuseMissing()
    await updateAccount(tx, id, { priority })
    await app.events.publish(tx, accountsChanged, { payload: { runtime: account.runtime } })
  })
  return showAccount(app, id)
}

/** Its tokens go with it. Snapshots, rotations and login attempts keep its name. */
export async function deleteAccount(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    const { runtime } = (await selectAccount(tx, id)) ?? refuseMissing()
    await lockPool(tx, runtime)
    const account = (await lockAccount(tx, id)) ?? refuseMissing()
    // The login file of a host must not bring the account back.
    await recordReplaced(app, tx, account)
    // The next one is chosen while this one is still there, so that the rotation names it.
    if (account.is_current) {
      const next = (await selectAccounts(tx, { runtime })).find((account) => account.id !== id && isServable(account))
      if (next) await settlePool(app, tx, runtime, { ...byHand, reason: 'account_deleted', preferred: next.id })
      else await setCurrent(tx, runtime, null)
    }
    await deleteAccountRow(tx, id)
    await settlePool(app, tx, runtime, { ...byHand, reason: 'account_deleted' })
  })
}

const byHand = { source: 'manual', triggeredBy: null } as const

export async function switchTo(app: App, id: number): Promise<Account> {
  await transact(app.db, async (tx) => {
    const { runtime } = (await selectAccount(tx, id)) ?? refuseMissing()
    await lockPool(tx, runtime)
    const account = await lockAccount(tx, id)
    if (!account) refuseMissing()
    if (!isServable(account))
      refuse('validation_failed', `The account ${account.email} cannot serve: ${whyNot(account)}`)
    await settlePool(app, tx, runtime, { ...byHand, reason: 'switched', preferred: id })
  })
  return showAccount(app, id)
}

function whyNot({ status_reason, status }: AccountRow): string {
  return status_reason ?? (status === 'active' ? 'it has no credentials' : status)
}

/** By hand: refreshes whether or not it is due, also an account that has to be signed in, and measures its quota. */
export async function refreshByHand(app: App, id: number): Promise<Account> {
  await refreshAndMeasure(app, (await selectAccount(app.db, id)) ?? refuseMissing())
  return showAccount(app, id)
}

async function refreshAndMeasure(app: App, { id, runtime }: AccountRow): Promise<void> {
  await refreshTokens(app, id)
  await settlePoolNow(app, runtime, { ...byHand, reason: 'switched' })
  await measure(app, id, 'manual_refresh')
}

export async function refreshAll(app: App): Promise<void> {
  await eachAccount(app, await selectAccounts(app.db), (account) => refreshAndMeasure(app, account))
}
