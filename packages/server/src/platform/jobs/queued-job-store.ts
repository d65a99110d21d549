import { sql } from 'kysely'
import type { Database, Transaction } from '../db/database.ts'
import type { Slice } from './pruning.ts'

/** Which jobs: of these classes, or of any but the excluded ones. */
export type JobSelection = { classes: readonly string[] | undefined; except: readonly string[] }

/**
 * Jobs that wait: no worker has claimed them, and they have attempts left. A job bound to a host has the host in its
 * identifier; its class is what stands before that.
 */
function waitingJobs({ classes, except }: JobSelection) {
  const isSelected = classes ? sql`split_part(tasks.identifier, '@', 1) = any(${classes}::text[])` : sql`true`
  return sql`
    from graphile_worker._private_jobs as jobs
    join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
    where jobs.locked_at is null
      and jobs.attempts < jobs.max_attempts
      and ${isSelected}
      and split_part(tasks.identifier, '@', 1) <> all(${except}::text[])
  `
}

export type ClassCount = { job: string; count: number }

export async function countWaitingJobs(db: Database | Transaction, selection: JobSelection): Promise<ClassCount[]> {
  const { rows } = await sql<ClassCount>`
    select split_part(tasks.identifier, '@', 1) as job, count(*) as count
    ${waitingJobs(selection)}
    group by 1
  `.execute(db)
  return rows
}

/**
 * Locks waiting jobs until the transaction ends. A worker that looks for a job skips them, and a job that a worker is claiming
 * is skipped here, so what is locked is exactly what the caller may change.
 */
export async function lockWaitingJobs(
  tx: Transaction,
  selection: JobSelection,
  limit: number,
): Promise<{ id: string; job: string }[]> {
  const { rows } = await sql<{ id: string; job: string }>`
    select jobs.id::text as id, split_part(tasks.identifier, '@', 1) as job
    ${waitingJobs(selection)}
    order by jobs.id
    limit ${limit}
    for update of jobs skip locked
  `.execute(tx)
  return rows
}

/** The rows stay, with the reason as their error, and never run. */
export async function discardJobs(tx: Transaction, ids: readonly string[], reason: string): Promise<void> {
  await sql`select from graphile_worker.permanently_fail_jobs(${ids}::bigint[], ${reason})`.execute(tx)
}

/** Deletes jobs that failed on every attempt, or were discarded, so long ago. Returns how many. */
export async function deleteDeadJobs(db: Database, { days, limit }: Slice): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from graphile_worker._private_jobs
    where id in (
      select id
      from graphile_worker._private_jobs
      where locked_at is null
        and attempts >= max_attempts
        and updated_at < now() - make_interval(days => ${days})
      limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** When the transaction changes what it changes, by the database's clock, which also decides when a job is due. */
export async function selectTransactionTime(tx: Transaction): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('the time was not returned')
  return row.at
}

/** Returns the time at which they are due now. */
export async function rescheduleJobs(tx: Transaction, ids: readonly string[], delayMinutes: number): Promise<Date> {
  const { rows } = await sql<{ run_at: Date }>`
    with due as (
      select now() + make_interval(mins => ${delayMinutes}) as run_at
    ),
    changed as (
      select
      from due, graphile_worker.reschedule_jobs(${ids}::bigint[], run_at => due.run_at)
    )
    select run_at, (select count(*) from changed)
    from due
  `.execute(tx)
  const [due] = rows
  if (!due) throw new Error('the time of the jobs was not returned')
  return due.run_at
}

/** Hosts that jobs are bound to, as their identifiers name them. */
export async function findBoundHosts(db: Database): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`
    select distinct split_part(identifier, '@', 2) as host
    from graphile_worker._private_tasks
    where identifier like '%@%'
    order by 1
  `.execute(db)
  return rows.map(({ host }) => host)
}

/** Discards the waiting jobs that only this host could run. Returns how many there were. */
export async function discardJobsBoundTo(db: Database, hostId: string, reason: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with bound as (
      select jobs.id
      from graphile_worker._private_jobs as jobs
      join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
      where jobs.locked_at is null
        and jobs.attempts < jobs.max_attempts
        and split_part(tasks.identifier, '@', 2) = ${hostId}
      for update of jobs skip locked
    )
    select count(*) as count
    from graphile_worker.permanently_fail_jobs(array(select id from bound), ${reason})
  `.execute(db)
  return rows[0]?.count ?? 0
}
