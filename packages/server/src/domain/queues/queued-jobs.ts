import type { JobScope } from '@yardmaster/contract/health/queue-fields'
import { limits } from '@yardmaster/contract/limits'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import {
  type ClassCount,
  countWaitingJobs,
  discardJobs,
  type JobSelection,
  lockWaitingJobs,
  rescheduleJobs,
  selectTransactionTime,
} from '../../platform/jobs/queued-job-store.ts'
import { protectedQueue } from '../../platform/jobs/queues.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { queuedJobsChanged } from './events.ts'
import { discardedBy, reasonToProtect } from './protected-queue.ts'

export type Tally = {
  matched: number
  by_job_class: Record<string, number>
  by_queue: Record<string, number>
}

type Counted = Tally & { scope: { job_class: string | null; queue_name: string | null } }

/** What waits, as far as it may be changed. */
export async function countQueuedJobs(app: App, scope: JobScope) {
  await refuseProtected(app, scope)
  const counted = await count(app, app.db, scope)
  return { ...counted, over_cap: counted.matched > limits.queuedJobs, max_per_call: limits.queuedJobs }
}

type Change = { scope: JobScope; expectedCount: unknown; reason: string | undefined; by: string }

export async function discardQueuedJobs(app: App, change: Change) {
  const error = await discardedBy(app, change.by, change.reason)
  const { done: _, ...outcome } = await changeJobs(app, 'discard', change, (tx, ids) => discardJobs(tx, ids, error))
  return { ...outcome, recoverable: false as const }
}

export async function rescheduleQueuedJobs(app: App, change: Change & { delayMinutes: number }) {
  const { delayMinutes } = change
  const { done, ...outcome } = await changeJobs(app, 'reschedule', change, (tx, ids) =>
    rescheduleJobs(tx, ids, delayMinutes),
  )
  return {
    ...outcome,
    scheduled_at: formatTimestamp(done),
    recoverable: true as const,
  }
}

/** Check and change are one transaction on locked rows: either every job that matched is changed, or none. */
async function changeJobs<Action extends 'discard' | 'reschedule', Done>(
  app: App,
  action: Action,
  { scope, expectedCount, by, reason }: Change,
  act: (tx: Transaction, ids: readonly string[]) => Promise<Done>,
) {
  if (scope.job_class === undefined && scope.queue_name === undefined) {
    const sentence = 'Name a job_class, a queue_name, or both; this would change every queued job'
    refuseChange(sentence, await count(app, app.db, scope))
  }
  await refuseProtected(app, scope)
  const { counted, done, performedAt } = await transact(app.db, async (tx) => {
    const jobs = await lockWaitingJobs(tx, selectionOf(app, scope), limits.queuedJobs + 1)
    const counted =
      jobs.length > limits.queuedJobs ? await count(app, tx, scope) : tally(app, scope, countByClass(jobs))
    refuseUnexpected(counted, scope, expectedCount)
    const done = await act(
      tx,
      jobs.map(({ id }) => id),
    )
    const { matched: affected } = counted
    if (affected > 0) await app.events.publish(tx, queuedJobsChanged, { payload: { action, affected } })
    return { counted, done, performedAt: await selectTransactionTime(tx) }
  })
  const affected = counted.matched
  if (affected > 0) app.log.warn({ scope, affected, by, reason }, 'queued jobs were changed by hand')
  const performed = formatTimestamp(performedAt)
  return { action, ...counted, affected, skipped: [], actor: by, performed_at: performed, done }
}

/** With what waits there: the caller learns what the refusal kept. */
async function refuseProtected(app: App, scope: JobScope): Promise<void> {
  const reason = reasonToProtect(app, { queue: scope.queue_name, job: scope.job_class })
  if (reason === undefined) return
  const rows = await countWaitingJobs(app.db, { classes: classesOf(app, scope), except: [] })
  refuseChange(reason, tally(app, scope, countsOf(rows)))
}

function refuseUnexpected(shown: Counted, scope: JobScope, expectedCount: unknown): void {
  const { matched } = shown
  const named = Object.entries(scope).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]))
  const where = `${matched} match ${named.join(' ')}. By class: ${listed(shown.by_job_class)}. By queue: ${listed(shown.by_queue)}`
  if (matched > limits.queuedJobs)
    refuseChange(
      `Too many: ${where}. One call changes at most ${limits.queuedJobs}: name a class or a queue as well`,
      shown,
    )
  const expected = readCount(expectedCount)
  if (expected === undefined)
    refuseChange(`expected_count is required, as a whole number of 0 or more: ${where}`, shown)
  if (expected !== matched)
    refuseChange(
      `Count confirmation failed: expected ${expected}, ${where}. Send expected_count ${matched} if you mean these`,
      shown,
    )
}

/** An integer, its digits, or a float without a fraction. */
function readCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\s*\d+(\.0+)?\s*$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

function listed(counts: Record<string, number>): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${name}=${count}`)
      .join(', ') || 'none'
  )
}

function refuseChange(sentence: string, shown: Tally): never {
  const { matched, by_job_class, by_queue } = shown
  return refuse('maintenance_refused', `${sentence}.`, {
    matched,
    by_job_class,
    by_queue,
    max_per_call: limits.queuedJobs,
  })
}

type Counts = ReadonlyMap<string, number>

async function count(app: App, db: Transaction | App['db'], scope: JobScope) {
  const rows = await countWaitingJobs(db, selectionOf(app, scope))
  return tally(app, scope, countsOf(rows))
}

function countsOf(rows: readonly ClassCount[]): Counts {
  return new Map(rows.map(({ job, count: each }) => [job, each]))
}

function selectionOf(app: App, scope: JobScope): JobSelection {
  return { classes: classesOf(app, scope), except: classesIn(app, protectedQueue) }
}

/** Both filters together are an intersection; undefined is every class. A class of another version belongs to no queue that we know. */
export function classesOf(app: App, { job_class, queue_name }: Partial<JobScope>): string[] | undefined {
  const ofQueue = queue_name === undefined ? undefined : classesIn(app, queue_name)
  const isWanted = (job: string) => ofQueue === undefined || ofQueue.includes(job)
  return job_class === undefined ? ofQueue : [job_class].filter(isWanted)
}

function classesIn({ queueOfJob }: App, queue: string): string[] {
  return [...queueOfJob].flatMap(([job, in_]) => (in_ === queue ? [job] : []))
}

function countByClass(jobs: readonly { job: string }[]): Counts {
  const counts = new Map<string, number>()
  for (const { job } of jobs) counts.set(job, (counts.get(job) ?? 0) + 1)
  return counts
}

function tally(app: App, { job_class, queue_name }: JobScope, counts: Counts): Counted {
  const byQueue = new Map<string, number>()
  for (const [job, each] of counts) {
    const queue = app.queueOfJob.get(job) ?? '(unknown)'
    byQueue.set(queue, (byQueue.get(queue) ?? 0) + each)
  }
  return {
    scope: { job_class: job_class ?? null, queue_name: queue_name ?? null },
    matched: [...counts.values()].reduce((sum, each) => sum + each, 0),
    by_job_class: largestFirst(counts),
    by_queue: largestFirst(byQueue),
  }
}

const maxListed = 25

function largestFirst(counts: Counts): Record<string, number> {
  const sorted = [...counts].toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
  const rest = sorted.slice(maxListed)
  const folded = rest.reduce((sum, [, each]) => sum + each, 0)
  return Object.fromEntries([
    ...sorted.slice(0, maxListed),
    ...(rest.length > 0 ? [[`(${rest.length} more)`, folded]] : []),
  ])
}
