import type { AttemptStatus, LoginAttempt, NewLoginAttempt } from '@yardmaster/contract/accounts/fields'
import type { Page } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import { vendorOf } from '../accounts/account.ts'
import type { App } from '../app.ts'
import {
  type AttemptRow,
  countOpenAttempts,
  insertAttempt,
  selectAttempt,
  selectAttempts,
  updateOpenAttempt,
} from './attempt-store.ts'
import { loginAttemptChanged } from './events.ts'
import { signInJob } from './sign-in-job.ts'

/** Each of them is a running command. */
const mostOpen = 10

/** The row is there before the command starts: a page follows the attempt by it. */
export async function startAttempt(app: App, { runtime, email }: NewLoginAttempt): Promise<LoginAttempt> {
  vendorOf(app, runtime)
  return transact(app.db, async (tx) => {
    if ((await countOpenAttempts(tx)) >= mostOpen)
      refuse('validation_failed', `${mostOpen} sign-ins are open. Complete or cancel one, or wait until one expires.`)
    const attempt = await insertAttempt(tx, { runtime, email: email ?? null })
    await enqueue(tx, signInJob, { attemptId: attempt.id }, { key: `${signInJob.name}:${attempt.id}` })
    await announce(app, tx, attempt.id)
    return present(attempt)
  })
}

export async function listAttempts(
  app: App,
  filters: { runtime?: string | undefined },
  page: Page,
): Promise<{ items: LoginAttempt[]; totalCount: number }> {
  const { rows, totalCount } = await selectAttempts(app.db, filters, page)
  return { items: rows.map(present), totalCount }
}

export async function showAttempt(app: App, id: number): Promise<LoginAttempt> {
  return present((await selectAttempt(app.db, id)) ?? refuseMissing())
}

/** The host that drives the command reads the code from the row. */
export async function pasteCode(app: App, id: number, code: string): Promise<LoginAttempt> {
  const place = { table: 'login_attempts', column: 'pasted_code', id: String(id) }
  const attempt = await change(app, id, { pasted_code: app.vault.seal(place, code), status: 'completing' }, [
    'awaiting_code',
  ])
  if (attempt) return present(attempt)
  const found = (await selectAttempt(app.db, id)) ?? refuseMissing()
  return refuse('validation_failed', `The login attempt waits for no code: it is ${found.status}`)
}

export async function cancelAttempt(app: App, id: number): Promise<LoginAttempt> {
  const attempt = await change(app, id, { status: 'canceled', pasted_code: null })
  return attempt ? present(attempt) : showAttempt(app, id)
}

type Changes = Parameters<typeof updateOpenAttempt>[2]

/** Undefined if the attempt is over, or in none of these states. */
export function change(
  app: App,
  id: number,
  changes: Changes,
  from?: readonly AttemptStatus[],
): Promise<AttemptRow | undefined> {
  return transact(app.db, (tx) => changeIn(app, tx, id, changes, from))
}

export async function changeIn(
  app: App,
  tx: Transaction,
  id: number,
  changes: Changes,
  from?: readonly AttemptStatus[],
): Promise<AttemptRow | undefined> {
  const attempt = await updateOpenAttempt(tx, id, changes, from)
  if (attempt) await announce(app, tx, id)
  return attempt
}

async function announce(app: App, tx: Transaction, id: number): Promise<void> {
  await app.events.publish(tx, loginAttemptChanged, { payload: { login_attempt_id: id } })
}

function present(row: AttemptRow): LoginAttempt {
  return {
    id: row.id,
    runtime: row.runtime,
    status: row.status,
    verification_url: row.verification_url,
    verification_code: row.verification_code,
    account_id: row.account_id,
    account_email: row.account_email,
    error_message: row.error_message,
    expires_at: formatTimestamp(row.expires_at),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }
}
