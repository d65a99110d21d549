import { type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { ProcessIdentity } from '../../platform/process/process-table.ts'
import type { FailureReason, TurnOutcome, TurnSource } from './turn-table.ts'

export type Turn = Selectable<Tables['turns']>
export type NewTurn = { sessionId: number; source: TurnSource; prompt: string; goal: string | null }

/** Whose write it is. A write in the name of a turn that has moved on touches nothing. */
export type TurnHold = { turnId: string; owner: string }

/** Kept alive by the holder about five times within this; the database's clock decides. */
const leaseSeconds = 15
const leaseEnd = sql<Date>`now() + make_interval(secs => ${leaseSeconds})`

/** The caller holds the session's row lock, which makes the sequence the order of acceptance. */
export async function insertTurn(tx: Transaction, { sessionId, source, prompt, goal }: NewTurn): Promise<string> {
  const { id } = await tx
    .insertInto('turns')
    .values(({ selectFrom, fn, lit }) => ({
      session_id: sessionId,
      source,
      prompt,
      goal,
      sequence: selectFrom('turns')
        .where('session_id', '=', sessionId)
        .select(sql<number>`${fn.coalesce(fn.max('sequence'), lit(0))} + 1`.as('next')),
    }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Any constant: it only has to be the same on every host. */
const admissionLockKey = 7_346_022

/** Each session's next queued turn, unless the session has a live one. Whoever admits goes one at a time. */
export async function dispatchNextTurns(tx: Transaction): Promise<{ id: string; session_id: number }[]> {
  await sql`select pg_advisory_xact_lock(${admissionLockKey})`.execute(tx)
  const { rows } = await sql<{ id: string; session_id: number }>`
    with next as (
      select distinct on (session_id) id
      from turns
      where state = 'queued'
        and not exists (
          select from turns as live
          where live.session_id = turns.session_id
            and live.state in ('dispatched', 'executing')
        )
      order by session_id, sequence
    )
    update turns
    set state = 'dispatched', dispatched_at = now()
    from next
    where turns.id = next.id
    returning turns.id, turns.session_id
  `.execute(tx)
  return rows
}

/** Undefined when the turn is not there to be taken: it runs elsewhere, or has run. */
export function claimTurn(tx: Transaction, { turnId, owner }: TurnHold, marker: string): Promise<Turn | undefined> {
  return tx
    .updateTable('turns')
    .set({ state: 'executing', lease_owner: owner, lease_expires_at: leaseEnd, run_marker: marker })
    .where('id', '=', turnId)
    .where('state', '=', 'dispatched')
    .returningAll()
    .executeTakeFirst()
}

export async function recordStart(
  tx: Transaction,
  hold: TurnHold,
  { pid, startTime }: ProcessIdentity,
): Promise<boolean> {
  return (
    (await held(tx, hold).set({ pid, pid_start_time: startTime, started_at: sql<Date>`now()` }).executeTakeFirst())
      .numUpdatedRows > 0n
  )
}

/** False when the turn is no longer ours: whoever asked must stop its agent. */
export async function renewLease(db: Database, hold: TurnHold): Promise<boolean> {
  return (await held(db, hold).set({ lease_expires_at: leaseEnd }).executeTakeFirst()).numUpdatedRows > 0n
}

export type TurnResult = { outcome: TurnOutcome; failureReason?: FailureReason; error?: string }

export async function retireTurn(
  tx: Transaction,
  hold: TurnHold,
  { outcome, failureReason, error }: TurnResult,
): Promise<boolean> {
  const result = await held(tx, hold)
    .set({
      state: 'ended',
      outcome,
      failure_reason: failureReason ?? null,
      error: error ?? null,
      ended_at: sql<Date>`now()`,
      lease_owner: null,
      lease_expires_at: null,
    })
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Back to where it was before anybody took it: the agent never saw it. */
export async function releaseTurn(tx: Transaction, hold: TurnHold): Promise<boolean> {
  const result = await held(tx, hold)
    .set({ state: 'dispatched', lease_owner: null, lease_expires_at: null, run_marker: null })
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export function selectTurnsHeldBy(db: Database, owner: string): Promise<Turn[]> {
  return db.selectFrom('turns').selectAll().where('state', '=', 'executing').where('lease_owner', '=', owner).execute()
}

export async function selectRunMarkers(tx: Transaction, sessionId: number): Promise<string[]> {
  const turns = await tx
    .selectFrom('turns')
    .select('run_marker')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'executing')
    .where('run_marker', 'is not', null)
    .$narrowType<{ run_marker: string }>()
    .execute()
  return turns.map(({ run_marker }) => run_marker)
}

function held(db: Database | Transaction, { turnId, owner }: TurnHold) {
  return db
    .updateTable('turns')
    .where('id', '=', turnId)
    .where('state', '=', 'executing')
    .where('lease_owner', '=', owner)
}
