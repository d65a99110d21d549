import { type ParsedCronItem, parseCronItems } from 'graphile-worker'
import type { Job, JobHandler } from './job.ts'
import type { QueueName } from './queues.ts'

/** One recurring job. The schedule has five fields, in UTC; a minute missed while nobody ran is not made up for. */
export type CronEntry = { schedule: string; job: Job<Record<string, never>> }

/** Reads the whole table at start-up, so that a bad line stops the start and not the night shift. */
export function parseCronTable<App>(
  entries: readonly CronEntry[],
  handlers: readonly JobHandler<App>[],
): Map<QueueName, ParsedCronItem[]> {
  const table = new Map<QueueName, ParsedCronItem[]>()
  const handled = new Set(handlers.map(({ job }) => job.name))
  const named = new Set<string>()
  for (const { schedule, job } of entries) {
    if (named.has(job.name)) throw new Error(`job ${job.name} stands twice in the cron table`)
    if (!handled.has(job.name)) throw new Error(`job ${job.name} stands in the cron table, but nobody performs it`)
    if (!job.payload.safeParse(cronPayload).success)
      throw new Error(`job ${job.name} stands in the cron table, but needs a payload`)
    named.add(job.name)
    table.set(job.queue, [...(table.get(job.queue) ?? []), ...parse(schedule, job)])
  }
  return table
}

/** What the job library itself puts into the payload of a recurring job. */
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
          // While its queue is paused the clock goes on, and leaves one waiting job and not one a minute.
          jobKey: `cron:${job.name}`,
          jobKeyMode: 'preserve_run_at',
        },
      },
    ])
  } catch (error) {
    throw new Error(`the schedule of job ${job.name} cannot be read: "${schedule}"`, { cause: error })
  }
}
