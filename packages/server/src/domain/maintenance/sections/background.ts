import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { listSubscriptions } from '../../../platform/events/subscription-store.ts'
import { listPeriodicRuns, type PeriodicRun } from '../../../platform/jobs/run-store.ts'
import type { App } from '../../app.ts'
import { counted, critical, type Facts, healthy, warning } from './facts.ts'

type Background = HealthReport['background_health']
type PeriodicTask = NonNullable<Background['periodic']>[number]

/** A task that succeeds writes its report at most every 30 seconds. */
const graceSeconds = 60
const failingOften = 3
const subscriptionLateSeconds = 120

export async function backgroundHealth(app: App, facts: Facts): Promise<Background> {
  const db = app.reports
  const [hosts, runs, subscriptions, paused] = await Promise.all([
    facts.hosts(),
    listPeriodicRuns(db),
    listSubscriptions(db),
    facts.pausedQueues(),
  ])
  const live = hosts.filter(({ is_alive }) => is_alive).map(({ id }) => id)
  const periodic = app.periodic.flatMap((declared) => {
    const isOnOneHost = declared.runs === 'one_host'
    // A task that moves between hosts stands still when the host that ran it is gone and no other has taken it up.
    const own = runs.filter(({ name, host_id }) => name === declared.name && (isOnOneHost || live.includes(host_id)))
    const [latest] = own.toSorted((a, b) => a.seconds_since_run - b.seconds_since_run)
    // A task that no host has run yet is shown too.
    const relevant = isOnOneHost || own.length === 0 ? [latest] : own
    const isPaused = declared.queue !== null && paused.has(declared.queue)
    return relevant.map((run) => describe(declared, run, isPaused))
  })
  const shown = subscriptions.map((each) => ({
    name: each.name,
    events_behind: each.events_behind,
    lag_seconds: each.oldest_event_seconds === null ? null : whole(each.oldest_event_seconds),
    attempts: each.attempts,
    failed_events: each.failed_events,
    last_error: each.last_error,
  }))
  return { periodic, subscriptions: shown, status: judge(periodic, shown, live.length) }
}

function describe(
  { name, queue, intervalMs }: App['periodic'][number],
  run: PeriodicRun | undefined,
  isPaused: boolean,
): PeriodicTask {
  const interval = intervalMs / 1000
  const lag = run ? Math.max(whole(run.seconds_since_run) - Math.ceil(interval), 0) : null
  return {
    name,
    host: run?.host_id ?? null,
    queue,
    interval_seconds: interval,
    last_run_at: run ? formatTimestamp(run.last_run_at) : null,
    lag_seconds: lag,
    is_late: !isPaused && (lag ?? 0) > interval * 2 + graceSeconds,
    consecutive_failures: run?.consecutive_failures ?? 0,
    last_error: run?.last_error ?? null,
  }
}

function whole(seconds: number): number {
  return Math.max(Math.floor(seconds), 0)
}

function judge(
  periodic: readonly PeriodicTask[],
  subscriptions: NonNullable<Background['subscriptions']>,
  liveHosts: number,
) {
  const failing = periodic.filter(({ consecutive_failures }) => consecutive_failures >= failingOften)
  const late = liveHosts === 0 ? [] : periodic.filter(({ is_late }) => is_late)
  const behind = subscriptions.filter(({ lag_seconds }) => (lag_seconds ?? 0) > subscriptionLateSeconds)
  const names = (list: readonly { name: string }[]) => [...new Set(list.map(({ name }) => name))].join(', ')
  if (late.length > 0 && late.length * 2 > periodic.length)
    return critical(`${counted(late.length, 'periodic task')} have stopped`, 'periodic_stalled')
  if (failing.length > 0) return warning(`Failing repeatedly: ${names(failing)}`, 'periodic_failing')
  if (late.length > 0) return warning(`Late: ${names(late)}`, 'periodic_late')
  if (behind.length > 0) return warning(`Behind by more than 2 minutes: ${names(behind)}`, 'subscription_behind')
  return healthy('Periodic tasks and subscriptions are on time')
}
