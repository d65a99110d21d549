import { transact } from '../../platform/db/transact.ts'
import type { AccountSignal, ServedLogin } from '../../runtimes/accounts/vendor-accounts.ts'
import type { TurnEnd } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { lockAccount, selectAccount, updateAccount } from './account-store.ts'
import type { AccountRow, AttemptKind } from './account-table.ts'
import { digestOf, openLogin } from './logins.ts'
import { measure } from './measure.ts'
import { condemn } from './needs-reauth.ts'
import type { OutageReason } from './pool.ts'
import { recordAttempt } from './pool-store.ts'
import { refreshTokens } from './refresh.ts'
import { waitsForRetry } from './refresh-due.ts'
import { type Rotated, rotate } from './rotate.ts'

/** What follows a turn that failed while an account served it. */
export type Consequence =
  /** The session goes on with the account that serves now. */
  | { kind: 'continue'; sentence: string }
  | { kind: 'outage'; reason: OutageReason; recoversAt: Date | null }
  /** The account is not the cause, or nothing helped: the turn fails. */
  | { kind: 'fail' }

export type FailedTurn = {
  runtime: string
  sessionId: number
  accountId: number
  login: ServedLogin
  end: Extract<TurnEnd, { kind: 'failed' }>
}

/** A session whose login is rejected more often than this within the time fails, whatever the pool does. */
const maxAttempts = 3
/** Adoptions of a token that was refreshed meanwhile, within the time. Further ones count as attempts. */
const maxFreeAdoptions = 3
const attemptMinutes = 15

export async function settleFailure(app: App, turn: FailedTurn): Promise<Consequence> {
  const signal = turn.end.signal ?? (await findSignal(app, turn))
  if (!signal) return { kind: 'fail' }
  if (signal.kind === 'quota_spent') return consequenceOf(await rotate(app, { ...orderOf(turn), signal }))
  return settleRejected(app, turn)
}

/** Reasons that a spent quota or a dead login can have. */
const suspicious: readonly string[] = ['auth', 'rate_limit']

/** The error has no structured sign of its cause. That is an alarm; the account itself is asked. */
async function findSignal(app: App, { runtime, accountId, end }: FailedTurn): Promise<AccountSignal | undefined> {
  if (!suspicious.includes(end.reason)) return undefined
  app.log.error(
    { runtime, account_id: accountId, reason: end.reason },
    'a failure of an account could not be classified',
  )
  app.metrics.unclassifiedAccountErrors.inc({ reason: end.reason })
  const measured = await measure(app, accountId, 'rotation')
  if (measured.kind === 'login_rejected') return { kind: 'login_rejected' }
  if (measured.kind === 'blocked') return { kind: 'quota_spent', window: null, resetsAt: measured.until }
  return undefined
}

/** A token that was refreshed meanwhile is adopted for nothing; otherwise it is refreshed, or another account serves. */
async function settleRejected(app: App, turn: FailedTurn): Promise<Consequence> {
  const used = digestOf(turn.login.accessToken)
  const isUsed = (account: AccountRow): boolean =>
    openLogin(app, account)?.accessToken !== undefined &&
    digestOf(openLogin(app, account)?.accessToken ?? '').equals(used)
  const account = await selectAccount(app.db, turn.accountId)
  const canAdopt = account?.status === 'active' && account.is_current && !isUsed(account)
  if (canAdopt && (await countAttempt(app, turn, 'adoption')) <= maxFreeAdoptions) return renewed
  if ((await countAttempt(app, turn, 'rejection')) > maxAttempts) return { kind: 'fail' }
  if (account?.status === 'active') {
    if (account.can_refresh) {
      await refreshTokens(app, account.id, (row) => isUsed(row) && !waitsForRetry(row, app.clock.now()))
      if (!(await expireIfUsed(app, account.id, isUsed))) return renewed
    } else await condemnUnrefreshable(app, account)
  }
  return consequenceOf(await rotate(app, { ...orderOf(turn), signal: { kind: 'login_rejected' } }))
}

function countAttempt(app: App, { sessionId, runtime }: FailedTurn, kind: AttemptKind): Promise<number> {
  return transact(app.db, (tx) => recordAttempt(tx, { sessionId, runtime, kind, withinMinutes: attemptMinutes }))
}

const renewed: Consequence = { kind: 'continue', sentence: 'The login was refreshed.' }

/** The vendor rejects the token before its time, and did not give another: it has expired. False if there is another one. */
async function expireIfUsed(app: App, id: number, isUsed: (account: AccountRow) => boolean): Promise<boolean> {
  return transact(app.db, async (tx) => {
    const account = await lockAccount(tx, id)
    if (account && !isUsed(account)) return false
    if (account?.status === 'active') await updateAccount(tx, id, { expires_at: app.clock.now() })
    return true
  })
}

async function condemnUnrefreshable(app: App, { id }: AccountRow): Promise<void> {
  await transact(app.db, async (tx) => {
    const account = await lockAccount(tx, id)
    if (account) await condemn(app, tx, account, 'The vendor rejected the token, which cannot be refreshed.')
  })
}

function orderOf({ runtime, accountId, sessionId }: FailedTurn) {
  return { runtime, fromId: accountId, sessionId }
}

function consequenceOf(rotated: Rotated): Consequence {
  if (rotated.kind === 'empty') return { kind: 'outage', reason: rotated.reason, recoversAt: rotated.recoversAt }
  return { kind: 'continue', sentence: `The account ${rotated.account.email} serves now.` }
}
