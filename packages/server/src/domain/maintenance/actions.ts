import type { ArchivedOldSessions, CleanedProcesses, RetriedSessions } from '@yardmaster/contract/health/action-fields'
import { limits } from '@yardmaster/contract/limits'
import { callHost } from '../../platform/jobs/host-call.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findLiveHosts } from '../hosts/hosts.ts'
import { archiveIdleSession, restartSession } from '../lifecycle/lifecycle.ts'
import { cleanUpProcessesJob } from './clean-up-processes-job.ts'
import { type Cleanup, endOrphans } from './processes.ts'
import { countIdleSessions, selectIdleSessions, selectRecentlyFailed } from './session-store.ts'

/** Asks every host that runs turns: a process can only be ended on its own host. */
export async function cleanUpProcesses(app: App): Promise<CleanedProcesses> {
  const live = await findLiveHosts(app.db)
  const hosts = await Promise.all(live.map((host) => cleanUpHost(app, host)))
  return {
    terminated: hosts.flatMap(({ terminated }) => terminated),
    failed: hosts.flatMap(({ failed }) => failed),
    already_dead: hosts.flatMap((each) => each.already_dead),
    hosts,
  }
}

async function cleanUpHost(app: App, host: string): Promise<CleanedProcesses['hosts'][number]> {
  const isOwn = app.isWorker && host === app.home.hostId
  const isAlive = async () => (await findLiveHosts(app.db)).includes(host)
  try {
    const cleanup = isOwn
      ? await endOrphans(app)
      : // The other host runs the same operation, so its answer has the operation's type.
        ((await callHost(app, { job: cleanUpProcessesJob, payload: {}, hostId: host, isAlive })) as Cleanup)
    return { host, ...cleanup, error: null }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { host, terminated: [], failed: [], already_dead: [], error: error.message }
  }
}

/** Named sessions are retried whatever category they are in; without names, frozen categories are left alone. */
export async function retrySessions(app: App, named: readonly number[] | undefined): Promise<RetriedSessions> {
  const outcome: RetriedSessions = { retried: [], failed: [], skipped: [] }
  for (const id of named ?? (await selectRecentlyFailed(app.db, limits.retrySessions))) {
    const reason = await reasonAgainst(app, id, () =>
      restartSession(app, { id }, { isByPerson: false, onlyIfFailed: true }),
    )
    if (reason === undefined) outcome.retried.push(id)
    else if (/^Session is not failed/.test(reason) || reason === missing)
      outcome.skipped.push({ session_id: id, reason })
    else outcome.failed.push({ session_id: id, reason })
  }
  return outcome
}

const missing = 'There is no such session'

/** One call works for this long; what is left waits for the next one. */
const budgetMs = 20_000
const batch = 100

/** Each session is archived in its own transaction, after a second look under its lock. */
export async function archiveOldSessions(app: App, days: number): Promise<ArchivedOldSessions> {
  const outcome: ArchivedOldSessions = { archived: [], failed: [], skipped: [], remaining: 0 }
  const since = new Date(app.clock.now().getTime() - days * 86_400_000)
  const deadline = performance.now() + budgetMs
  let after = 0
  for (;;) {
    const ids = await selectIdleSessions(app.db, { since, after, limit: batch })
    for (const id of ids) {
      const reason = await reasonAgainst(app, id, () => archiveIdleSession(app, id, { since }))
      if (reason === undefined) outcome.archived.push(id)
      else if (reason === fault) outcome.failed.push({ session_id: id, reason })
      else outcome.skipped.push({ session_id: id, reason })
      after = id
      if (performance.now() > deadline)
        return { ...outcome, remaining: await countIdleSessions(app.db, { since, after }) }
    }
    if (ids.length < batch) return outcome
  }
}

const fault = 'An internal error occurred; the server log has the details'

/** Undefined if the work succeeded. A fault of ours with one session must not hide what was done with the others. */
async function reasonAgainst(app: App, sessionId: number, work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.kind === 'not_found' ? missing : error.message
    app.log.error({ sessionId, err: error }, 'maintenance of a session failed')
    return fault
  }
}
