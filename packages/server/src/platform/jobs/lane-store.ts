import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { QueueName } from './queues.ts'

/** The jobs of one class, by state. Ages are seconds, by the database's clock; null when there is no such job. */
export type ClassLane = {
  job: string
  ready: number
  scheduled: number
  claimed: number
  failed: number
  dead: number
  oldest_ready_seconds: number | null
  oldest_claimed_seconds: number | null
  youngest_claimed_seconds: number | null
}

/** One pass over all jobs. A claimed job counts as claimed even on its last attempt. */
export async function selectLanes(db: Database): Promise<ClassLane[]> {
  const isClaimed = sql`locked_at is not null`
  const isReady = sql`locked_at is null and attempts < max_attempts and run_at <= now()`
  const age = (time: ReturnType<typeof sql>) => sql`extract(epoch from now() - ${time})::float8`
  const { rows } = await sql<ClassLane>`
    select
      split_part(task_identifier, '@', 1) as job,
      count(*) filter (where ${isReady}) as ready,
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at > now()) as scheduled,
      count(*) filter (where ${isClaimed}) as claimed,
      count(*) filter (where last_error is not null and (${isClaimed} or attempts < max_attempts)) as failed,
      count(*) filter (where locked_at is null and attempts >= max_attempts) as dead,
      ${age(sql`min(run_at) filter (where ${isReady})`)} as oldest_ready_seconds,
      ${age(sql`min(locked_at)`)} as oldest_claimed_seconds,
      ${age(sql`max(locked_at)`)} as youngest_claimed_seconds
    from graphile_worker.jobs
    group by 1
  `.execute(db)
  return rows
}

/** `seconds_since_ended` is by the database's clock, like the time. */
export type Throughput = { queue: QueueName; ended: number; last_ended_at: Date; seconds_since_ended: number }

/** Jobs that ended within the last hour. */
export async function selectThroughput(db: Database): Promise<Throughput[]> {
  const { rows } = await sql<Throughput>`
    select
      queue,
      coalesce(sum(succeeded + failed) filter (where minute > now() - interval '1 hour'), 0)::int as ended,
      max(last_ended_at) as last_ended_at,
      extract(epoch from now() - max(last_ended_at))::float8 as seconds_since_ended
    from job_counts
    group by queue
  `.execute(db)
  return rows
}
