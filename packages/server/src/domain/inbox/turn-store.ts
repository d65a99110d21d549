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

/** Whoever admits goes one at a time, on all hosts, until the transaction ends. */
export async function lockAdmission(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${admissionLockKey})`.execute(tx)
}

/** Each session's next queued turn, unless the session has a live one. */
export async function dispatchNextTurns(tx: Transaction): Promise<{ id: string; session_id: number }[]> {
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

/** A job that was announced and picked up is taken within moments; after this long it got lost on the way. */
const overdueSeconds = 10

export function selectOverdueTurns(tx: Transaction): Promise<{ id: string; session_id: number }[]> {
  return tx
    .selectFrom('turns')
    .select(['id', 'session_id'])
    .where('state', '=', 'dispatched')
    .where('dispatched_at', '<', sql<Date>`now() - make_interval(secs => ${overdueSeconds})`)
    .execute()
}

/**
 * Undefined when the turn is not there to be taken: it runs elsewhere, or has run. Asking again with the same marker
 * gets it again: the answer to a commit may have got lost.
 */
export function claimTurn(tx: Transaction, { turnId, owner }: TurnHold, marker: string): Promise<Turn | undefined> {
  return tx
    .updateTable('turns')
    .set({ state: 'executing', lease_owner: owner, lease_expires_at: leaseEnd, run_marker: marker })
    .where('id', '=', turnId)
    .where((is) => is.or([is('state', '=', 'dispatched'), is('run_marker', '=', marker)]))
    .returningAll()
    .executeTakeFirst()
}

export async function recordProcess(
  tx: Transaction,
  hold: TurnHold,
  { pid, startTime }: ProcessIdentity,
): Promise<boolean> {
  return (await held(tx, hold).set({ pid, pid_start_time: startTime }).executeTakeFirst()).numUpdatedRows > 0n
}

/** The agent has its prompt: from here on the turn is never begun anew. */
export async function recordReceipt(db: Database, hold: TurnHold): Promise<boolean> {
  const result = await held(db, hold)
    .set(({ fn }) => ({ started_at: fn.coalesce('started_at', sql<Date>`now()`) }))
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
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

/** Back to where it was before anybody took it. False when the agent has its prompt, or the turn is not ours. */
export async function releaseTurn(tx: Transaction, hold: TurnHold): Promise<boolean> {
  const result = await held(tx, hold)
    .where('started_at', 'is', null)
    .set({
      state: 'dispatched',
      dispatched_at: sql<Date>`now()`,
      lease_owner: null,
      lease_expires_at: null,
      run_marker: null,
      pid: null,
      pid_start_time: null,
    })
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
