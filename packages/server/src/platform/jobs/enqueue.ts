import { sql } from 'kysely'
import type { Transaction } from '../db/database.ts'
import type { Job } from './job.ts'

export type EnqueueOptions = {
  /** Runs this long from now, by the database's clock: hosts may disagree about the time. */
  delayMs?: number
  /** Replaces a waiting job with the same key. A job that already runs is left alone. */
  key?: string
  /** Only this host may run the job, because it works on that host's disk. */
  hostId?: string
}

/** To graphile-worker, a job bound to a host is a task of its own. */
export function boundName(jobName: string, hostId: string): string {
  return `${jobName}@${hostId}`
}

/** Runs in the caller's transaction: the job exists if and only if the transaction commits. */
export async function enqueue<Payload>(
  tx: Transaction,
  job: Job<Payload>,
  payload: Payload,
  { delayMs = 0, key, hostId }: EnqueueOptions = {},
): Promise<void> {
  const body = JSON.stringify(job.payload.parse(payload))
  await sql`
    select graphile_worker.add_job(
      ${hostId === undefined ? job.name : boundName(job.name, hostId)}::text,
      payload => ${body}::json,
      run_at => now() + ${delayMs}::float8 * interval '1 millisecond',
      max_attempts => ${job.attempts}::int,
      job_key => ${key ?? null}::text
    )
  `.execute(tx)
}

/** As `enqueue`, for many payloads in one statement. */
export async function enqueueAll<Payload>(
  tx: Transaction,
  job: Job<Payload>,
  payloads: readonly Payload[],
): Promise<void> {
  if (payloads.length === 0) return
  const bodies = payloads.map((payload) => JSON.stringify(job.payload.parse(payload)))
  await sql`
    select from graphile_worker.add_jobs(array(
      select (${job.name}::text, body::json, null, now(), ${job.attempts}::smallint, null, null, null)::graphile_worker.job_spec
      from unnest(${bodies}::text[]) with ordinality as given(body, place)
      order by place
    ))
  `.execute(tx)
}
