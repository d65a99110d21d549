import { sql } from 'kysely'
import type { Transaction } from '../db/database.ts'
import type { Job } from './job.ts'

export type EnqueueOptions = {
  runAt?: Date
  /** While a job with this key waits, enqueuing again replaces it; one that already runs is left alone. */
  key?: string
  /** Only this host may perform it, because what it is about lies on that host's disk. */
  hostId?: string
}

/** A class of work that is bound to a host is a class of its own to the job library. */
export function boundName(jobName: string, hostId: string): string {
  return `${jobName}@${hostId}`
}

/** Part of the caller's transaction: the job exists if and only if the transaction commits. */
export async function enqueue<Payload>(
  tx: Transaction,
  job: Job<Payload>,
  payload: Payload,
  { runAt, key, hostId }: EnqueueOptions = {},
): Promise<void> {
  const body = JSON.stringify(job.payload.parse(payload))
  await sql`
    select graphile_worker.add_job(
      ${hostId === undefined ? job.name : boundName(job.name, hostId)}::text,
      payload => ${body}::json,
      run_at => ${runAt ?? null}::timestamptz,
      max_attempts => ${job.attempts}::int,
      job_key => ${key ?? null}::text
    )
  `.execute(tx)
}
