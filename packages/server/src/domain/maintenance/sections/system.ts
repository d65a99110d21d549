import type { HealthReport, HealthStatus, QueueStats } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { sql } from 'kysely'
import { type ClassLane, selectLanes, selectThroughput, type Throughput } from '../../../platform/jobs/lane-store.ts'
import type { JobThreads, QueueName } from '../../../platform/jobs/queues.ts'
import { truncate } from '../../../platform/truncate.ts'
import type { App } from '../../app.ts'
import { selectRecentErrors } from '../session-store.ts'
import { critical, type Facts, type Host, healthy, warning } from './facts.ts'

const maxErrors = 20
const errorLength = 200

export async function systemHealth(app: App, facts: Facts): Promise<HealthReport['system_health']> {
  const db = app.reports
  const [hosts, lanes, throughput, errors, paused] = await Promise.all([
    facts.hosts(),
    selectLanes(db),
    selectThroughput(db),
    selectRecentErrors(db, maxErrors),
    facts.pausedQueues(),
  ])
  const stats = queueStats(app, lanes, throughput)
  const active = hosts.filter(({ is_alive }) => is_alive).length
  return {
    queue_depth: stats.ready_count,
    queue_stats: stats,
    worker_stats: { total_workers: hosts.length, active_workers: active, worker_details: hosts.map(workerDetail) },
    recent_errors: errors.map(({ content, created_at, ...line }) => ({
      ...line,
      content: truncate(content, errorLength),
      created_at: formatTimestamp(created_at),
    })),
    status: judge(stats, { active, paused, threads: app.jobThreads }),
  }
}

type DatabaseStatus = NonNullable<HealthReport['system_health']['database_status']>

/** Known also while the section itself is not. `inTime` throws what takes too long. */
export async function databaseStatus(
  app: App,
  inTime: (work: Promise<unknown>) => Promise<unknown>,
): Promise<DatabaseStatus> {
  const failure = await inTime(sql`select 1`.execute(app.reports)).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  const { size, inUse, waiting } = app.connections()
  return {
    connected: failure === undefined,
    pool_size: size,
    connections_in_use: inUse,
    waiting,
    ...(failure !== undefined && { error: truncate(await app.redactor.text(failure), errorLength) }),
  }
}

function workerDetail({ id, is_alive, seen_at, seconds_since_seen, report, turns }: Host) {
  return {
    id,
    hostname: report?.hostname ?? null,
    version: report?.version ?? null,
    is_active: is_alive,
    last_heartbeat: seen_at && formatTimestamp(seen_at),
    seconds_since_heartbeat: whole(seconds_since_seen),
    turns,
  }
}

function queueStats(app: App, lanes: readonly ClassLane[], throughput: readonly Throughput[]): QueueStats {
  const byQueue = new Map<string, ClassLane[]>()
  for (const lane of lanes) {
    const queue = app.queueOfJob.get(lane.job) ?? '(unknown)'
    byQueue.set(queue, [...(byQueue.get(queue) ?? []), lane])
  }
  const total = (of: Count): number => sumOf(lanes, of)
  /** A queue with nothing is absent. */
  const each = <T>(read: (lanes: ClassLane[]) => T | null): Record<string, T> =>
    Object.fromEntries(
      [...byQueue].flatMap(([queue, own]) => {
        const value = read(own)
        return value === null || value === 0 ? [] : [[queue, value]]
      }),
    )
  const [last] = throughput.toSorted((a, b) => a.seconds_since_ended - b.seconds_since_ended)
  return {
    pending_count: total('ready') + total('scheduled') + total('claimed'),
    ready_count: total('ready'),
    scheduled_count: total('scheduled'),
    claimed_count: total('claimed'),
    failed_count: total('failed'),
    dead_count: total('dead'),
    ready_count_by_queue: each((own) => sumOf(own, 'ready')),
    scheduled_count_by_queue: each((own) => sumOf(own, 'scheduled')),
    claimed_count_by_queue: each((own) => sumOf(own, 'claimed')),
    oldest_ready_age_seconds_by_queue: ages(byQueue, 'oldest_ready_seconds', Math.max),
    oldest_claimed_age_seconds_by_queue: ages(byQueue, 'oldest_claimed_seconds', Math.max),
    youngest_claimed_age_seconds_by_queue: ages(byQueue, 'youngest_claimed_seconds', Math.min),
    oldest_claimed_job_class_by_queue: each(oldestClass),
    oldest_ready_age_seconds: extreme(lanes, 'oldest_ready_seconds', Math.max),
    oldest_claimed_age_seconds: extreme(lanes, 'oldest_claimed_seconds', Math.max),
    processing_rate_per_hour: throughput.reduce((sum, { ended }) => sum + ended, 0),
    finished_last_hour_by_queue: Object.fromEntries(
      throughput.filter(({ ended }) => ended > 0).map(({ queue, ended }) => [queue, ended]),
    ),
    last_finished_at: last ? formatTimestamp(last.last_ended_at) : null,
    seconds_since_last_finished: last ? whole(last.seconds_since_ended) : null,
  }
}

type Count = 'ready' | 'scheduled' | 'claimed' | 'failed' | 'dead'
type Age = 'oldest_ready_seconds' | 'oldest_claimed_seconds' | 'youngest_claimed_seconds'

function sumOf(lanes: readonly ClassLane[], of: Count): number {
  return lanes.reduce((sum, lane) => sum + lane[of], 0)
}

function extreme(lanes: readonly ClassLane[], of: Age, choose: (...ages: number[]) => number): number | null {
  const known = lanes.flatMap((lane) => lane[of] ?? [])
  return known.length === 0 ? null : whole(choose(...known))
}

function ages(byQueue: ReadonlyMap<string, ClassLane[]>, of: Age, choose: (...ages: number[]) => number) {
  return Object.fromEntries(
    [...byQueue].flatMap(([queue, lanes]) => {
      const age = extreme(lanes, of, choose)
      return age === null ? [] : [[queue, age]]
    }),
  )
}

function oldestClass(lanes: readonly ClassLane[]): string | null {
  const claimed = lanes.filter((lane) => lane.oldest_claimed_seconds !== null)
  const [oldest] = claimed.toSorted((a, b) => (b.oldest_claimed_seconds ?? 0) - (a.oldest_claimed_seconds ?? 0))
  return oldest?.job ?? null
}

function whole(seconds: number): number
function whole(seconds: number | null): number | null
function whole(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(Math.floor(seconds), 0)
}

/** A lane is critical when it is deep and its head is old: depth alone is a burst, age alone one slow job. */
const limitsOf: Record<QueueName, { ready: number; ageMinutes: number; claimedMinutes: number | null }> = {
  agents: { ready: 100, ageMinutes: 240, claimedMinutes: null },
  pollers: { ready: 100, ageMinutes: 10, claimedMinutes: 15 },
  triggers: { ready: 100, ageMinutes: 10, claimedMinutes: 15 },
  inference: { ready: 150, ageMinutes: 60, claimedMinutes: 15 },
  pushes: { ready: 100, ageMinutes: 10, claimedMinutes: 15 },
  maintenance: { ready: 100, ageMinutes: 60, claimedMinutes: 90 },
  default: { ready: 100, ageMinutes: 10, claimedMinutes: 15 },
}

const deepQueue = 50
const stalledSeconds = 600

type Workers = { active: number; paused: ReadonlySet<string>; threads: JobThreads }

/** A paused queue waits because it was told to. Hosts are taken to have as many workers as this one. */
function judge(stats: QueueStats, { active, paused, threads }: Workers): HealthStatus {
  if (active === 0) return critical('No host runs turns and jobs', 'no_workers')
  const running = (Object.keys(limitsOf) as QueueName[]).filter((queue) => !paused.has(queue)) // Object.keys loses the key type
  const wedged = running.find((queue) => {
    const { claimedMinutes } = limitsOf[queue]
    const youngest = stats.youngest_claimed_age_seconds_by_queue[queue] ?? 0
    const isFull = (stats.claimed_count_by_queue[queue] ?? 0) >= threads[queue] * active
    return claimedMinutes !== null && isFull && youngest > claimedMinutes * 60
  })
  if (wedged) return critical(`All workers of the queue ${wedged} are stuck in old jobs`, `wedged_lane:${wedged}`)
  const waiting = running.map((queue) => stats.oldest_ready_age_seconds_by_queue[queue] ?? 0)
  const idleSeconds = stats.seconds_since_last_finished ?? Number.POSITIVE_INFINITY
  if (Math.max(0, ...waiting) > stalledSeconds && idleSeconds > stalledSeconds)
    return critical('Jobs are due, and none has ended for 10 minutes', 'execution_stalled')
  const late = running.filter((queue) => {
    const { ready, ageMinutes } = limitsOf[queue]
    const age = stats.oldest_ready_age_seconds_by_queue[queue] ?? 0
    return (stats.ready_count_by_queue[queue] ?? 0) >= ready && age >= ageMinutes * 60
  })
  // Each queue has workers of its own, so several late ones have a common cause.
  if (late.length > 1) return critical(`Workers are stalled: ${late.join(', ')} are deep and late`, 'workers_stalled')
  if (late.length > 0) return critical(`The queue ${late[0]} is deep and its jobs are late`, `late_lane:${late[0]}`)
  if (paused.size > 0) return warning(`Paused: ${[...paused].toSorted().join(', ')}`, 'queues_paused')
  if (stats.ready_count >= deepQueue) return warning(`${stats.ready_count} jobs are due`, 'deep_queue')
  return healthy('Queue processing normally')
}
