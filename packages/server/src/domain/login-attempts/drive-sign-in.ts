import { mkdir } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { readPrivateFile } from '../../platform/files/private-file.ts'
import { removeFolder } from '../../platform/files/remove-folder.ts'
import { childEnvironment } from '../../platform/process/environment.ts'
import { type Child, launch } from '../../platform/process/launch.ts'
import { newRunMarker } from '../../platform/process/run-marker.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import { sweepMarked } from '../../platform/process/stop.ts'
import { truncate } from '../../platform/truncate.ts'
import type { Login, VendorAccounts } from '../../runtimes/accounts/vendor-accounts.ts'
import { measure, storeLogin } from '../accounts/account.ts'
import { type App, handleJob } from '../app.ts'
import {
  type AttemptRow,
  beat,
  openStatuses,
  selectAttempt,
  selectDeadAttempts,
  selectOpenAttemptsOf,
} from './attempt-store.ts'
import { change, changeIn } from './sign-in.ts'
import { signInJob } from './sign-in-job.ts'

/** Claims the attempt for this host, then drives the command in the background: the row, not the job, shows that it is alive. */
export const signIn = handleJob(signInJob, async ({ attemptId }, app) => {
  const found = await selectAttempt(app.db, attemptId)
  const vendor = found && app.runtimes.find(found.runtime)?.accounts
  if (!found || !vendor || found.host_id !== null) return
  const marker = newRunMarker()
  const claimed = await change(app, attemptId, { host_id: app.home.hostId, run_marker: marker }, ['starting'])
  if (claimed) app.background.run('a sign-in', (signal) => drive(app, { attempt: claimed, vendor, marker, signal }))
})

type Driven = { attempt: AttemptRow; vendor: VendorAccounts; marker: string; signal: AbortSignal }

async function drive(app: App, driven: Driven): Promise<void> {
  const { id } = driven.attempt
  const folder = folderOf(app, id)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await runCommand(app, driven, folder)
  } catch (error) {
    const problem = problemOf(app, driven.attempt, error)
    // The stack of a program that is not installed helps no one.
    app.log.warn(error instanceof SpawnFailed ? { problem } : { err: error }, 'a sign-in failed')
    await fail(app, id, problem)
  } finally {
    await removeFolder(folder)
  }
}

/** Says what to do about a missing program, which is looked for when the host starts. */
function problemOf(app: App, { runtime }: AttemptRow, error: unknown): string {
  const problem = error instanceof Error ? error.message : String(error)
  const install = app.runtimes.find(runtime)?.cli?.installInstructions
  if (!(error instanceof SpawnFailed) || error.code !== 'ENOENT' || install === undefined) return problem
  return `${problem} Install it on this host (${install}), start Yardmaster again, and sign in again.`
}

function folderOf(app: App, id: number): string {
  return app.home.in('sign-ins', String(id))
}

async function runCommand(app: App, { attempt, vendor, marker, signal }: Driven, folder: string): Promise<void> {
  const { command, args, environment, loginFile } = vendor.signIn
  const env = childEnvironment({ set: { HOME: folder, ...environment(folder) } })
  const confined = await app.confinement.confine({ work: folder, home: folder })({ command, args, cwd: folder, env })
  const child = await launch({ ...confined, marker })
  child.stdin?.on('error', () => undefined) // the exit tells why the command did not read
  const over = new AbortController()
  const follower = follow(app, { id: attempt.id, child, signal: AbortSignal.any([signal, over.signal]) })
  // A promise that fails while no one waits for it would end the process.
  follower.catch(() => child.stop({ graceMs: 0 }))
  try {
    await change(app, attempt.id, { pid: child.identity.pid })
    await readSteps(app, { id: attempt.id, vendor, child })
    const { code } = await child.exited
    over.abort()
    await follower
    const text = await readPrivateFile(loginFile(folder)).catch(() => undefined)
    const login = code === 0 && text !== undefined ? vendor.readLogin(text) : undefined
    if (!login) return await fail(app, attempt.id, failureOf(signal, child))
    const accountId = await untilReachable(() => complete(app, attempt, login))
    if (accountId !== undefined) await measure(app, accountId, 'bootstrap')
  } finally {
    over.abort()
    await child.stop({ graceMs: 0 })
  }
}

/**
 * The account and the end of the attempt in one transaction: after a crash the row says what happened. Undefined for an attempt
 * that was cancelled meanwhile, which signs no one in.
 */
function complete(app: App, { id, runtime, email: given }: AttemptRow, login: Login): Promise<number | undefined> {
  return transact(app.db, async (tx) => {
    if (!(await changeIn(app, tx, id, { status: 'completing', pasted_code: null }))) return undefined
    const email = login.email ?? given ?? `sign-in ${id}`
    const accountId = await storeLogin(app, tx, { runtime, email, login })
    await changeIn(app, tx, id, { status: 'succeeded', account_id: accountId, account_email: email })
    return accountId
  })
}

function failureOf(signal: AbortSignal, child: Child): string {
  if (signal.aborted) return 'The host that ran the command stops. Try again.'
  return `The command ended without a login. ${child.stderrTail()}`.trim()
}

/** Shows a person what the command asks for. */
async function readSteps(
  app: App,
  { id, vendor, child }: { id: number; vendor: VendorAccounts; child: Child },
): Promise<void> {
  let output = ''
  let shown = ''
  for await (const { text } of child.lines) {
    output = `${output}${text}\n`.slice(-maxOutput)
    const { url, code, asksForCode } = vendor.signIn.read(output)
    const step = JSON.stringify([url, code, asksForCode])
    if (url === undefined || step === shown) continue
    shown = step
    await change(
      app,
      id,
      {
        status: asksForCode ? 'awaiting_code' : 'awaiting_user',
        verification_url: url,
        verification_code: code ?? null,
      },
      ['starting', 'awaiting_user', 'awaiting_code'],
    )
  }
}

const maxOutput = 64 * 1024
const pollMs = 500
const beatMs = 15_000

/** While the command runs: gives it the code, stops it when the attempt is over, and shows that this host is alive. */
async function follow(
  app: App,
  { id, child, signal }: { id: number; child: Child; signal: AbortSignal },
): Promise<void> {
  const place = { table: 'login_attempts', column: 'pasted_code', id: String(id) }
  let beatAt = 0
  while (!signal.aborted) {
    const attempt = await untilReachable(() => selectAttempt(app.db, id))
    const isOpen = attempt && openStatuses.some((status) => status === attempt.status)
    const isExpired = isOpen && attempt.expires_at <= app.clock.now()
    if (isExpired) {
      const error_message = 'Its time was over.'
      await untilReachable(() => change(app, id, { status: 'expired', pasted_code: null, error_message }))
    }
    if (!isOpen || isExpired) break
    if (attempt.pasted_code !== null) {
      child.stdin?.write(`${app.vault.open(place, attempt.pasted_code)}\n`)
      await untilReachable(() => change(app, id, { pasted_code: null }))
    }
    if (performance.now() - beatAt > beatMs) {
      beatAt = performance.now()
      await untilReachable(() => beat(app.db, id))
    }
    await wait(pollMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
  await child.stop({ graceMs: 0 })
}

async function fail(app: App, id: number, reason: string): Promise<void> {
  const error_message = truncate(await app.redactor.text(reason), 1000, '…')
  await untilReachable(() => change(app, id, { status: 'failed', pasted_code: null, error_message }))
}

/** After a crash of this host: ends what its commands left running, and removes what they wrote. */
export async function recoverSignIns(app: App): Promise<void> {
  for (const { id, run_marker } of await selectOpenAttemptsOf(app.db, app.home.hostId)) {
    if (run_marker !== null) await sweepMarked(run_marker)
    await fail(app, id, 'The host that ran the command stopped. Try again.')
  }
  await removeFolder(app.home.in('sign-ins'))
}

/** Attempts whose host has been silent for 90 seconds, or whose time is over while no host drives them. */
export async function endDeadAttempts(app: App): Promise<void> {
  for (const { id, is_expired } of await selectDeadAttempts(app.db)) {
    if (is_expired) await change(app, id, { status: 'expired', pasted_code: null, error_message: 'Its time was over.' })
    else await fail(app, id, 'The host that ran the command is silent. Try again.')
  }
}
