import { type ParsedCronItem, parseCronItems } from 'graphile-worker'
import type { Job, JobHandler } from './job.ts'
import type { QueueName } from './queues.ts'

/** A recurring job. The schedule has five fields, in UTC. Times that pass while no host runs are not made up. */
export type CronEntry = { schedule: string; job: Job<Record<string, never>> }

/** Parses every schedule at start-up, so that a bad one stops the start instead of failing later. */
export function parseCronTable<App>(
  entries: readonly CronEntry[],
  handlers: readonly JobHandler<App>[],
): Map<QueueName, ParsedCronItem[]> {
  const table = new Map<QueueName, ParsedCronItem[]>()
  const handled = new Set(handlers.map(({ job }) => job.name))
  const named = new Set<string>()
  for (const { schedule, job } of entries) {
    if (named.has(job.name)) throw new Error(`job ${job.name} has two cron entries`)
    if (!handled.has(job.name)) throw new Error(`job ${job.name} has a cron entry but no handler`)
    if (!job.payload.safeParse(cronPayload).success)
      throw new Error(`job ${job.name} has a cron entry but needs a payload`)
    named.add(job.name)
    table.set(job.queue, [...(table.get(job.queue) ?? []), ...parse(schedule, job)])
  }
  return table
}

/** The payload that graphile-worker gives a recurring job. */
const cronPayload = { _cron: { ts: '2026-01-01T00:00:00.000Z', backfilled: false } }

function parse(schedule: string, job: CronEntry['job']): ParsedCronItem[] {
  try {
    return parseCronItems([
      {
        task: job.name,
        match: schedule,
        identifier: job.name,
        options: {
          maxAttempts: job.attempts,
          backfillPeriod: 0,
          // The clock goes on while the queue is paused: one key keeps one waiting job instead of one per tick.
          jobKey: `cron:${job.name}`,
          jobKeyMode: 'preserve_run_at',
        },
      },
    ])
  } catch (error) {
    throw new Error(`job ${job.name} has an invalid schedule: "${schedule}"`, { cause: error })
  }
}
