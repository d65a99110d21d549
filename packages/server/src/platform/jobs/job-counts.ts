import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { deleteOld } from '../db/delete-old.ts'
import type { Slice } from './pruning.ts'
import type { QueueName } from './queues.ts'

declare module '../db/tables.ts' {
  interface Tables {
    job_counts: {
      minute: Date
      job: string
      queue: QueueName
      succeeded: number
      failed: number
      last_ended_at: Date
    }
  }
}

type Ended = { job: string; queue: QueueName; hasFailed: boolean }
type Count = { job: string; queue: QueueName; succeeded: number; failed: number }

/** The jobs that ended on this host since they were last stored: the job queue itself keeps no record of them. */
export type JobCounts = {
  record(ended: Ended): void
  /** Adds them to the current minute. What could not be stored counts the next time. */
  store(db: Database): Promise<void>
}

export function openJobCounts(): JobCounts {
  let counts = new Map<string, Count>()
  const add = ({ job, queue, succeeded, failed }: Count): void => {
    const known = counts.get(job) ?? { job, queue, succeeded: 0, failed: 0 }
    counts.set(job, { job, queue, succeeded: known.succeeded + succeeded, failed: known.failed + failed })
  }
  return {
    record: ({ job, queue, hasFailed }) => add({ job, queue, succeeded: hasFailed ? 0 : 1, failed: hasFailed ? 1 : 0 }),
    store: async (db) => {
      const taken = [...counts.values()]
      counts = new Map()
      try {
        if (taken.length > 0) await addCounts(db, taken)
      } catch (error) {
        for (const count of taken) add(count)
        throw error
      }
    },
  }
}

async function addCounts(db: Database, counts: readonly Count[]): Promise<void> {
  await sql`
    insert into job_counts as known (minute, job, queue, succeeded, failed, last_ended_at)
    select date_trunc('minute', now()), job, queue, succeeded, failed, now()
    from unnest(
      ${counts.map(({ job }) => job)}::text[],
      ${counts.map(({ queue }) => queue)}::text[],
      ${counts.map(({ succeeded }) => succeeded)}::int[],
      ${counts.map(({ failed }) => failed)}::int[]
    ) as given(job, queue, succeeded, failed)
    order by job
    on conflict (minute, job, queue) do update
    set succeeded = known.succeeded + excluded.succeeded,
        failed = known.failed + excluded.failed,
        last_ended_at = excluded.last_ended_at
  `.execute(db)
}

export function deleteOldCounts(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'job_counts', since: 'minute' }, slice)
}
