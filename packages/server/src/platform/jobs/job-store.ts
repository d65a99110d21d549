import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'

/**
 * A job is in the first state that applies. `failed` jobs try again; `dead` ones have no attempts left. A list of the ready or
 * scheduled jobs has the failed ones too: they are due or not like others.
 */
export const jobStates = ['claimed', 'dead', 'failed', 'scheduled', 'ready'] as const
export type JobState = (typeof jobStates)[number]

/** One row of the job queue. `job` is the class; `host` is the only host that may run it, if it is bound to one. */
export type JobRow = {
  id: string
  job: string
  host: string | null
  state: JobState
  run_at: Date
  created_at: Date
  attempts: number
  max_attempts: number
  last_error: string | null
  locked_at: Date | null
  /** The host whose worker has claimed it. */
  claimed_by: string | null
}

const isWaiting = sql`jobs.locked_at is null and jobs.attempts < jobs.max_attempts`

const isIn: Record<JobState, RawBuilder<unknown>> = {
  claimed: sql`jobs.locked_at is not null`,
  dead: sql`jobs.locked_at is null and jobs.attempts >= jobs.max_attempts`,
  failed: sql`${isWaiting} and jobs.last_error is not null`,
  scheduled: sql`${isWaiting} and jobs.run_at > now()`,
  ready: sql`${isWaiting} and jobs.run_at <= now()`,
}

const state = sql`case ${sql.join(
  jobStates.map((name) => sql`when ${isIn[name]} then ${sql.lit(name)}`),
  sql` `,
)} end`

const tables = sql`
  graphile_worker._private_jobs as jobs
  join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
  left join job_workers as workers on workers.worker_id = jobs.locked_by
`

const columns = sql`
  jobs.id::text as id,
  split_part(tasks.identifier, '@', 1) as job,
  nullif(split_part(tasks.identifier, '@', 2), '') as host,
  ${state} as state,
  jobs.run_at,
  jobs.created_at,
  jobs.attempts,
  jobs.max_attempts,
  jobs.locked_at,
  workers.host_id as claimed_by
`

export type JobFilter = {
  classes: readonly string[] | undefined
  state: JobState | undefined
  /** Only jobs made before this one. */
  before: string | undefined
  limit: number
}

/**
 * Newest first. The text of an error is cut: it may be long, and a list needs its beginning. What is left is longer than any secret,
 * so that a secret in the beginning is whole and can be redacted.
 */
export async function selectJobs(
  db: Database,
  { classes, state: wanted, before, limit }: JobFilter,
): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    select ${columns}, left(jobs.last_error, 10000) as last_error
    from ${tables}
    where ${classes ? sql`split_part(tasks.identifier, '@', 1) = any(${classes}::text[])` : sql`true`}
      and ${wanted ? isIn[wanted] : sql`true`}
      and ${before === undefined ? sql`true` : sql`jobs.id < ${before}::bigint`}
    order by jobs.id desc
    limit ${limit}
  `.execute(db)
  return rows
}

export async function selectJob(
  db: Database,
  id: string,
): Promise<(JobRow & { payload: unknown; key: string | null }) | undefined> {
  const { rows } = await sql<JobRow & { payload: unknown; key: string | null }>`
    select ${columns}, jobs.last_error, jobs.payload, jobs.key
    from ${tables}
    where jobs.id = ${id}::bigint
  `.execute(db)
  return rows[0]
}

/**
 * Locks a job that no worker has claimed until the transaction ends. A worker that looks for a job skips it, and a job that a
 * worker is claiming is skipped here. Undefined if there is no such job.
 */
export async function lockUnclaimedJob(
  tx: Transaction,
  id: string,
): Promise<{ job: string; is_dead: boolean } | undefined> {
  const { rows } = await sql<{ job: string; is_dead: boolean }>`
    select split_part(tasks.identifier, '@', 1) as job, jobs.attempts >= jobs.max_attempts as is_dead
    from graphile_worker._private_jobs as jobs
    join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
    where jobs.id = ${id}::bigint
      and jobs.locked_at is null
    for update of jobs skip locked
  `.execute(tx)
  return rows[0]
}

/** Due after the delay. `isFresh` gives it all its attempts again. */
export async function moveJob(
  tx: Transaction,
  id: string,
  { delayMinutes, isFresh }: { delayMinutes: number; isFresh: boolean },
): Promise<void> {
  await sql`
    select from graphile_worker.reschedule_jobs(
      array[${id}::bigint],
      run_at => now() + make_interval(mins => ${delayMinutes}),
      attempts => ${isFresh ? 0 : null}::int
    )
  `.execute(tx)
}

/** The row stays, with the reason as its error, and never runs. */
export async function failJob(tx: Transaction, id: string, reason: string): Promise<void> {
  await sql`select from graphile_worker.permanently_fail_jobs(array[${id}::bigint], ${reason})`.execute(tx)
}

export async function deleteJob(tx: Transaction, id: string): Promise<void> {
  await sql`select from graphile_worker.complete_jobs(array[${id}::bigint])`.execute(tx)
}
