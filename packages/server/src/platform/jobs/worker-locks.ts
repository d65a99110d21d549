import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

declare module '../db/tables.ts' {
  interface Tables {
    job_workers: { worker_id: string; host_id: string }
  }
}

/** Records which host a worker belongs to. Must happen before the worker locks its first job. */
export async function recordWorker(db: Database, worker: { workerId: string; hostId: string }): Promise<void> {
  await db.insertInto('job_workers').values({ worker_id: worker.workerId, host_id: worker.hostId }).execute()
}

/** Releases the locks of former workers. graphile-worker itself would release them after four hours. */
export async function releaseLocks(db: Database, of: { hostId: string } | { workerId: string }): Promise<void> {
  const isFormer = 'hostId' in of ? sql`host_id = ${of.hostId}` : sql`worker_id = ${of.workerId}`
  await sql`
    with former as (
      delete from job_workers
      where ${isFormer}
      returning worker_id
    )
    select graphile_worker.force_unlock_workers(array(select worker_id from former))
  `.execute(db)
}

/** Releases the locks of silent hosts. Their rows stay, because a host that comes back continues with the same worker ids. */
export async function unlockJobsOf(db: Database, hostIds: readonly string[]): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(
      array(select worker_id from job_workers where host_id = any(${hostIds}::text[]))
    )
  `.execute(db)
}
