import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { asPeriodic, openSubscription } from '../../../src/platform/events/run-subscription.ts'
import { type Subscription, subscribing } from '../../../src/platform/events/subscription.ts'
import type { Periodic, RunResult } from '../../../src/platform/jobs/periodic.ts'
import { startPeriodic } from '../../../src/platform/jobs/start-periodic.ts'
import { watchPauses } from '../../../src/platform/jobs/watch-pauses.ts'
import type { Log } from '../../../src/platform/log/log.ts'
import { type Metrics, openMetrics } from '../../../src/platform/metrics.ts'
import { type EventHost, openEventHost } from '../events/event-host.ts'
import { silentLog } from '../log/silent-log.ts'
import { eventually } from '../vitest/eventually.ts'

export const defineSubscription = subscribing<undefined>()

export type PeriodicHost = EventHost & { hostId: string; metrics: Metrics; drain(): Promise<void> }

/** The periodic tasks and subscriptions of one host; drained when the test finishes. */
export async function startPeriodicHost(options: {
  url: string
  entries?: readonly Periodic<undefined>[]
  subscriptions?: readonly Subscription<undefined>[]
  hostId?: string
  log?: Log
  ttlMs?: number
}): Promise<PeriodicHost> {
  const { url, entries = [], subscriptions = [], hostId = randomUUID(), log = silentLog, ttlMs } = options
  const eventHost = await openEventHost(url)
  const { db, events } = eventHost
  const metrics = openMetrics()
  const paused = await watchPauses({ db, log })
  onTestFinished(() => paused.close())
  const host = { app: undefined, db, events, paused, hostId, metrics, log, redact: async (text: string) => text }
  for (const subscription of subscriptions) await openSubscription(host, subscription)
  const tasks = await startPeriodic({
    ...host,
    entries: [...entries, ...subscriptions.map((subscription) => asPeriodic(subscription, host))],
    ...(ttlMs !== undefined && { ttlMs }),
  })
  onTestFinished(() => tasks.drain())
  return { ...eventHost, hostId, metrics, drain: () => tasks.drain() }
}

/** A periodic task with defaults that no test depends on. */
export function task(entry: Partial<Periodic<undefined>> & Pick<Periodic<undefined>, 'run'>): Periodic<undefined> {
  return { name: 'task', queue: 'default', intervalMs: 20, runs: 'every_host', ...entry }
}

/** A task that counts its runs. */
export function counter(result: () => RunResult = () => 'done') {
  let runs = 0
  return {
    run: async (): Promise<RunResult> => {
      runs += 1
      return result()
    },
    count: () => runs,
    reach: (count: number) =>
      eventually(
        async () => runs,
        (reached) => reached >= count,
      ),
  }
}
