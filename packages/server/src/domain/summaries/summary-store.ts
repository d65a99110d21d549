import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

type SummaryTable = {
  session_id: number
  state: 'idle' | 'pending' | 'ready' | 'failed'
  summary: string | null
  error: string | null
  requested_at: Generated<Date>
  generated_at: Date | null
  entry_count: number | null
  attempts: Generated<number>
  run_marker: string | null
  lease_expires_at: Date | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_status_summaries: SummaryTable
  }
}

export type Summary = Selectable<SummaryTable>

/** A fencing token: a write under a claim that has ended updates no row. */
export type SummaryClaim = { sessionId: number; marker: string }

/** After this long no host can still be writing the summary, and it may be requested again. */
export const abandonedAfterMinutes = 15

/** Longer than the agent's timeout plus the time to stop it, so it is never renewed. */
const leaseSeconds = 180

export function selectSummary(db: Database, sessionId: number): Promise<Summary | undefined> {
  return db.selectFrom('session_status_summaries').selectAll().where('session_id', '=', sessionId).executeTakeFirst()
}

/** False when a request is already pending. The old text stays. */
export async function insertRequest(tx: Transaction, sessionId: number): Promise<boolean> {
  const { rows } = await sql`
    insert into session_status_summaries as known (session_id, state)
    values (${sessionId}, 'pending')
    on conflict (session_id) do update
    set state = 'pending', error = null, requested_at = now(), attempts = 0, run_marker = null, lease_expires_at = null
    where known.state <> 'pending'
      or known.requested_at < now() - make_interval(mins => ${abandonedAfterMinutes})
    returning session_id
  `.execute(tx)
  return rows.length > 0
}

/** Claims the oldest request that is unclaimed or whose lease expired. Concurrent callers get different requests. */
export async function claimDueSummary(db: Database, marker: string): Promise<Summary | undefined> {
  const { rows } = await sql<Summary>`
    update session_status_summaries
    set run_marker = ${marker},
        lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
        attempts = attempts + 1
    where session_id = (
      select session_id
      from session_status_summaries
      where state = 'pending'
        and coalesce(lease_expires_at < now(), true)
      order by requested_at
      limit 1
      for update skip locked
    )
    returning *
  `.execute(db)
  return rows[0]
}

/** False when the claim has ended. */
export function storeSummary(
  tx: Transaction,
  claim: SummaryClaim,
  { summary, entryCount }: { summary: string; entryCount: number },
): Promise<boolean> {
  return isWritten(
    claimed(tx, claim)
      .set({
        ...unclaimed,
        state: 'ready',
        summary,
        error: null,
        entry_count: entryCount,
        generated_at: sql<Date>`now()`,
      })
      .executeTakeFirst(),
  )
}

export function storeFailure(tx: Transaction, claim: SummaryClaim, error: string): Promise<boolean> {
  return isWritten(
    claimed(tx, claim)
      .set({ ...unclaimed, state: 'failed', error })
      .executeTakeFirst(),
  )
}

/** Returns the request to the unclaimed state, without counting the attempt. */
export async function releaseSummary(db: Database, claim: SummaryClaim): Promise<void> {
  await claimed(db, claim)
    .set({ ...unclaimed, attempts: sql<number>`attempts - 1` })
    .execute()
}

const unclaimed = { run_marker: null, lease_expires_at: null }

function claimed(db: Database | Transaction, { sessionId, marker }: SummaryClaim) {
  return db.updateTable('session_status_summaries').where('session_id', '=', sessionId).where('run_marker', '=', marker)
}

async function isWritten(update: Promise<{ numUpdatedRows: bigint }>): Promise<boolean> {
  return (await update).numUpdatedRows > 0n
}
