import type { ArchivedOldSessions, CleanedProcesses, RetriedSessions } from '@yardmaster/contract/health/action-fields'
import { limits } from '@yardmaster/contract/limits'
import { callHost } from '../../platform/jobs/host-call.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findLiveHosts } from '../hosts/hosts.ts'
import { archiveIdleSession, restartSession } from '../lifecycle/lifecycle.ts'
import { cleanUpProcessesJob } from './clean-up-processes-job.ts'
import { type Cleanup, endOrphans } from './processes.ts'
import { countIdleSessions, selectIdleSessions, selectRecentlyFailed, selectTimeDaysAgo } from './session-store.ts'

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

/** One call works for this long; what is left waits for the next one. */
const budgetMs = 20_000

/** What goes wrong on one host must not hide what was done on the others. */
async function cleanUpHost(app: App, host: string): Promise<CleanedProcesses['hosts'][number]> {
  const isOwn = app.isWorker && host === app.home.hostId
  const deadline = performance.now() + budgetMs
  const isAlive = async () => performance.now() < deadline && (await findLiveHosts(app.db)).includes(host)
  try {
    const cleanup = isOwn
      ? await endOrphans(app)
      : // The other host runs the same operation, so its answer has the operation's type.
        ((await callHost(app, { job: cleanUpProcessesJob, payload: {}, hostId: host, isAlive })) as Cleanup)
    return { host, ...cleanup, error: null }
  } catch (error) {
    const isRefusal = error instanceof Refusal
    if (!isRefusal) app.log.error({ host, err: error }, 'a host could not clean up its processes')
    const reason = isRefusal ? 'The host did not answer in time' : fault
    return { host, terminated: [], failed: [], already_dead: [], error: reason }
  }
}

/** Named sessions are retried whatever category they are in; without names, frozen categories are left alone. */
export async function retrySessions(app: App, named: readonly number[] | undefined): Promise<RetriedSessions> {
  const outcome: RetriedSessions = { retried: [], failed: [], skipped: [] }
  const deadline = performance.now() + budgetMs
  for (const id of named ?? (await selectRecentlyFailed(app.db, limits.retrySessions))) {
    const obstacle =
      performance.now() > deadline
        ? outOfTime
        : await obstacleTo(app, id, () => restartSession(app, { id }, { isByPerson: false, onlyIfFailed: true }))
    report(outcome, outcome.retried, id, obstacle)
  }
  return outcome
}

const outOfTime: Obstacle = { reason: `The call had worked for ${budgetMs / 1000} s; repeat it`, isFault: false }
const batch = 100

/** Each session is archived in its own transaction, after a second look under its lock. */
export async function archiveOldSessions(app: App, days: number): Promise<ArchivedOldSessions> {
  const outcome: ArchivedOldSessions = { archived: [], failed: [], skipped: [], remaining: 0 }
  const since = await selectTimeDaysAgo(app.db, days)
  const deadline = performance.now() + budgetMs
  let after = 0
  for (;;) {
    const ids = await selectIdleSessions(app.db, { since, after, limit: batch })
    for (const id of ids) {
      const obstacle = await obstacleTo(app, id, () => archiveIdleSession(app, id, { since }))
      report(outcome, outcome.archived, id, obstacle)
      after = id
      if (performance.now() > deadline)
        return { ...outcome, remaining: await countIdleSessions(app.db, { since, after }) }
    }
    if (ids.length < batch) return outcome
  }
}

const fault = 'An internal error occurred; the server log has the details'

/** Why nothing was done with a session: the operation refused it, or failed. */
type Obstacle = { reason: string; isFault: boolean }

/** Undefined if the work succeeded. A fault of ours with one session must not hide what was done with the others. */
async function obstacleTo(app: App, sessionId: number, work: () => Promise<unknown>): Promise<Obstacle | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) {
      const reason = error.kind === 'not_found' ? 'There is no such session' : error.message
      return { reason, isFault: false }
    }
    app.log.error({ sessionId, err: error }, 'maintenance of a session failed')
    return { reason: fault, isFault: true }
  }
}

type AboutSession = { session_id: number; reason: string }

function report(
  { failed, skipped }: { failed: AboutSession[]; skipped: AboutSession[] },
  done: number[],
  id: number,
  obstacle: Obstacle | undefined,
): void {
  if (!obstacle) done.push(id)
  else (obstacle.isFault ? failed : skipped).push({ session_id: id, reason: obstacle.reason })
}
