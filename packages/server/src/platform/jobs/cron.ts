import { type ParsedCronItem, parseCronItems } from 'graphile-worker'
import type { Job } from './job.ts'
import type { QueueName } from './queues.ts'

/** One recurring job. The schedule has five fields, in UTC; a minute missed while nobody ran is not made up for. */
export type CronEntry = { schedule: string; job: Job<Record<string, never>> }

/** Parses the whole table at start-up, so that a bad line stops the start and not the night shift. */
export function parseCronTable(entries: readonly CronEntry[]): Map<QueueName, ParsedCronItem[]> {
  const table = new Map<QueueName, ParsedCronItem[]>()
  const named = new Set<string>()
  for (const { schedule, job } of entries) {
    if (named.has(job.name)) throw new Error(`job ${job.name} stands twice in the cron table`)
    named.add(job.name)
    table.set(job.queue, [...(table.get(job.queue) ?? []), ...parse(schedule, job)])
  }
  return table
}

function parse(schedule: string, job: CronEntry['job']): ParsedCronItem[] {
  try {
    return parseCronItems([
      {
        task: job.name,
        match: schedule,
        identifier: job.name,
        options: { maxAttempts: job.attempts, backfillPeriod: 0 },
      },
    ])
  } catch (error) {
    throw new Error(`the schedule of job ${job.name} cannot be read: "${schedule}"`, { cause: error })
  }
}
