import * as contract from '@yardmaster/contract/metrics/endpoints'
import { sql } from 'kysely'
import { type App, bind, type Room } from '../domain/app.ts'
import { backgroundHealth, openFacts } from '../domain/maintenance/maintenance.ts'
import { isHeld } from '../domain/sessions/session.ts'
import { ok } from '../platform/http/answer.ts'
import { type ClassLane, selectLanes } from '../platform/jobs/lane-store.ts'
import { queueNames } from '../platform/jobs/queues.ts'
import { version } from '../platform/version.ts'

const readMetrics = bind(contract.showMetrics, async (_request, app) => ok(await app.metrics.registry.metrics()))

export const metrics: Room = { name: 'metrics', endpoints: [readMetrics] }

/** Registers what is read at each scrape, and names every series of the rooms at once: a rate needs the value before the first event. */
export function registerMetrics(app: App, rooms: readonly Room[]): void {
  nameAllSeries(app, rooms)
  registerTurns(app)
  registerQueues(app)
  registerBackground(app)
  registerProcess(app)
}

function nameAllSeries({ metrics: known }: App, rooms: readonly Room[]): void {
  const subscriptions = rooms.flatMap((room) => room.subscriptions ?? [])
  const loops = [
    ...rooms.flatMap(({ periodic = [] }) => periodic.map(({ name }) => name)),
    ...subscriptions.map(({ name }) => `subscription:${name}`),
  ]
  for (const name of loops)
    for (const outcome of ['succeeded', 'failed', 'database_unavailable']) known.periodicRuns.inc({ name, outcome }, 0)
  for (const { name: subscription } of subscriptions)
    for (const outcome of ['handled', 'retried', 'failed']) known.subscriptionEvents.inc({ subscription, outcome }, 0)
  for (const { job } of rooms.flatMap(({ handlers = [] }) => handlers))
    for (const outcome of ['succeeded', 'failed']) known.jobs.inc({ queue: job.queue, job: job.name, outcome }, 0)
  for (const { nameSeries } of rooms) nameSeries?.(known)
}

const turnStates = ['queued', 'held', 'dispatched', 'executing'] as const

function registerTurns(app: App): void {
  app.metrics.registerReading('turns', () => countTurns(app), [
    {
      name: 'yardmaster_turns',
      help: 'Turns that have not ended, by state; held turns wait for a free slot, a quota or a budget. Of all hosts.',
      labels: ['state'],
      values: (turns) => turnStates.map((state) => [{ state }, turns.get(state)?.count ?? 0]),
    },
    {
      name: 'yardmaster_oldest_turn_seconds',
      help: 'Age of the oldest turn that has not ended, by state. Of all hosts.',
      labels: ['state'],
      values: (turns) => turnStates.map((state) => [{ state }, turns.get(state)?.oldest ?? 0]),
    },
  ])
}

async function countTurns({ reports }: App) {
  const { rows } = await sql<{ state: string; count: number; oldest: number }>`
    select
      case when turns.state = 'queued' and ${isHeld} then 'held' else turns.state end as state,
      count(*) as count,
      extract(epoch from now() - min(turns.created_at))::float8 as oldest
    from turns
    join sessions on sessions.id = turns.session_id
    where turns.state <> 'ended'
    group by 1
  `.execute(reports)
  return new Map(rows.map((row) => [row.state, row]))
}

const laneStates = ['ready', 'scheduled', 'claimed', 'failed', 'dead'] as const

function registerQueues(app: App): void {
  app.metrics.registerReading('queues', () => selectLanes(app.reports), [
    {
      name: 'yardmaster_queue_jobs',
      help: 'Jobs by queue and state: ready, scheduled for later, claimed by a worker, failed and to be retried, dead. Of all hosts.',
      labels: ['queue', 'state'],
      values: (lanes) =>
        queueNames.flatMap((queue) =>
          laneStates.map(
            (state) => [{ queue, state }, sum(lanesOf(app, lanes, queue), (lane) => lane[state])] as const,
          ),
        ),
    },
    {
      name: 'yardmaster_queue_oldest_ready_seconds',
      help: 'How long the oldest job of a queue that is due has waited for a worker. Of all hosts.',
      labels: ['queue'],
      values: (lanes) =>
        queueNames.map((queue) => {
          const ages = lanesOf(app, lanes, queue).map((lane) => lane.oldest_ready_seconds ?? 0)
          return [{ queue }, Math.max(0, ...ages)]
        }),
    },
    {
      name: 'yardmaster_jobs_waiting',
      help: 'Jobs that no worker has claimed, by class. Of all hosts.',
      labels: ['job'],
      // A class of another version has no queue here; its name is not ours to bound.
      values: (lanes) =>
        lanes
          .filter(({ job }) => app.queueOfJob.has(job))
          .map(({ job, ready, scheduled, dead }) => [{ job }, ready + scheduled + dead]),
    },
  ])
}

function lanesOf({ queueOfJob }: App, lanes: readonly ClassLane[], queue: string): ClassLane[] {
  return lanes.filter(({ job }) => queueOfJob.get(job) === queue)
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

/** A task may run on several hosts: the worst of them counts. */
function worst<Task extends { name: string }>(tasks: readonly Task[], of: (task: Task) => number) {
  const byName = new Map<string, number>()
  for (const task of tasks) byName.set(task.name, Math.max(byName.get(task.name) ?? 0, of(task)))
  return [...byName].map(([name, value]) => [{ name }, value] as const)
}

function registerBackground(app: App): void {
  const read = async () => {
    const facts = openFacts(app)
    const [{ periodic, subscriptions }, hosts, paused] = await Promise.all([
      backgroundHealth(app, facts),
      facts.hosts(),
      facts.pausedQueues(),
    ])
    return { periodic: periodic ?? [], subscriptions: subscriptions ?? [], hosts, paused }
  }
  app.metrics.registerReading('background', read, [
    {
      name: 'yardmaster_periodic_lag_seconds',
      help: 'How long a periodic task is overdue, on the host where it is most. Of all hosts.',
      labels: ['name'],
      values: ({ periodic }) => worst(periodic, (task) => task.lag_seconds ?? 0),
    },
    {
      name: 'yardmaster_periodic_late',
      help: '1 if a periodic task is overdue by more than two of its intervals and a minute, and its queue is not paused. Of all hosts.',
      labels: ['name'],
      values: ({ periodic }) => worst(periodic, (task) => Number(task.is_late)),
    },
    {
      name: 'yardmaster_periodic_consecutive_failures',
      help: 'Failures of a periodic task since it last succeeded, on the host where it fails most. Of all hosts.',
      labels: ['name'],
      values: ({ periodic }) => worst(periodic, (task) => task.consecutive_failures),
    },
    {
      name: 'yardmaster_subscription_events_behind',
      help: 'Events that a subscription has not handled. Of all hosts.',
      labels: ['subscription'],
      values: ({ subscriptions }) =>
        subscriptions.map(({ name, events_behind }) => [{ subscription: name }, events_behind]),
    },
    {
      name: 'yardmaster_subscription_lag_seconds',
      help: 'Age of the oldest event that a subscription has not handled. Of all hosts.',
      labels: ['subscription'],
      values: ({ subscriptions }) =>
        subscriptions.map(({ name, lag_seconds }) => [{ subscription: name }, lag_seconds ?? 0]),
    },
    {
      name: 'yardmaster_subscription_failed_events',
      help: 'Events that a subscription gave up on, as long as they are kept. Of all hosts.',
      labels: ['subscription'],
      values: ({ subscriptions }) =>
        subscriptions.map(({ name, failed_events }) => [{ subscription: name }, failed_events]),
    },
    {
      name: 'yardmaster_queue_paused',
      help: '1 if a queue is paused, by an operator or by recovery mode. Of all hosts.',
      labels: ['queue'],
      values: ({ paused }) => queueNames.map((queue) => [{ queue }, Number(paused.has(queue))]),
    },
    {
      name: 'yardmaster_workers',
      help: 'Workers known to the database, by whether they are alive. Of all hosts.',
      labels: ['state'],
      values: ({ hosts }) => {
        const alive = hosts.filter(({ is_alive }) => is_alive).length
        return [
          [{ state: 'alive' }, alive],
          [{ state: 'silent' }, hosts.length - alive],
        ]
      },
    },
  ])
}

/** Of this process: none of it can fail. */
function registerProcess(app: App): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  app.metrics.registerReading('process', async () => app, [
    {
      name: 'yardmaster_redactions_total',
      help: 'Secrets that this host redacted, by label.',
      type: 'counter',
      labels: ['label'],
      values: ({ redactor }) => [...redactor.counts()].map(([label, count]) => [{ label }, count]),
    },
    {
      name: 'yardmaster_agent_confinement',
      help: 'Whether this host confines agents, by mode and mechanism, such as `auto by namespaces`.',
      labels: ['in_force'],
      values: ({ confinement: { mode, mechanism } }) => [
        [{ in_force: `${mode} by ${mechanism}` }, mechanism === 'none' ? 0 : 1],
      ],
    },
    {
      name: 'yardmaster_running_turns',
      help: 'Turns that this host runs now.',
      values: ({ runs }) => [[{}, runs.size]],
    },
    {
      name: 'yardmaster_database_connections',
      help: "Connections of this host's main pool: its size, those in use, and callers that wait for one.",
      labels: ['state'],
      values: ({ connections }) => {
        const { size, inUse, waiting } = connections()
        return Object.entries({ size, in_use: inUse, waiting }).map(([state, count]) => [{ state }, count])
      },
    },
    {
      name: 'yardmaster_build_info',
      help: 'Always 1; the labels say which version runs.',
      labels: ['version', 'node'],
      values: () => [[{ version, node: process.versions.node }, 1]],
    },
    {
      name: 'yardmaster_event_loop_utilisation',
      help: 'Share of time since the start that the event loop of this host was busy, from 0 to 1.',
      values: () => [[{}, performance.eventLoopUtilization().utilization]],
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Memory of this host, without its agents.',
      values: () => [[{}, process.memoryUsage.rss()]],
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'Processor time of this host, without its agents.',
      type: 'counter',
      values: () => {
        const { user, system } = process.cpuUsage()
        return [[{}, (user + system) / 1e6]]
      },
    },
    {
      name: 'process_start_time_seconds',
      help: 'When this host started, in seconds since 1970.',
      values: () => [[{}, startedAt]],
    },
  ])
}
