import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { ProcessIdentity } from '../../platform/process/process-table.ts'
import type { Turn } from './turn-store.ts'
import type { FailureReason, TurnOutcome } from './turn-table.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    abandoned_runs: { run_marker: string; host_id: string; abandoned_at: Generated<Date> }
  }
}

/** Whose write it is, and in which run of the turn. A write in the name of a run that is over touches nothing. */
export type TurnHold = { turnId: string; owner: string; marker: string }

/** Renewed about five times within this by a holder that lives. The database's clock decides, nobody else's. */
const leaseSeconds = 15
const leaseEnd = sql<Date>`now() + make_interval(secs => ${leaseSeconds})`

/**
 * Undefined when the turn is not there to be taken: it runs elsewhere, or has run. Asking again with the same marker
 * gets it again: the answer to a commit may have got lost.
 */
export function claimTurn(
  tx: Transaction,
  { turnId, owner, marker }: TurnHold,
  keyDigest: Buffer,
): Promise<Turn | undefined> {
  return tx
    .updateTable('turns')
    .set({
      state: 'executing',
      lease_owner: owner,
      lease_expires_at: leaseEnd,
      run_marker: marker,
      key_digest: keyDigest,
    })
    .where('id', '=', turnId)
    .where((is) =>
      is.or([is('state', '=', 'dispatched'), is.and({ state: 'executing', lease_owner: owner, run_marker: marker })]),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Whose agent has the key of this digest, if its turn runs and nobody has ended it. */
export async function selectSessionIdByKey(db: Database, keyDigest: Buffer): Promise<number | undefined> {
  const turn = await db
    .selectFrom('turns')
    .select('session_id')
    .where('key_digest', '=', keyDigest)
    .where('state', '=', 'executing')
    .where('withdrawn_by', 'is', null)
    .executeTakeFirst()
  return turn?.session_id
}

/** Nothing is given to an agent before this is written: a turn without a process has not reached anybody. */
export function recordProcess(tx: Transaction, hold: TurnHold, { pid, startTime }: ProcessIdentity): Promise<boolean> {
  return isWritten(held(tx, hold).set({ pid, pid_start_time: startTime }).executeTakeFirst())
}

/** The agent has its prompt: from here on the turn is never begun anew. */
export function recordReceipt(db: Database, hold: TurnHold): Promise<boolean> {
  return isWritten(
    held(db, hold)
      .set(({ fn }) => ({ started_at: fn.coalesce('started_at', sql<Date>`now()`) }))
      .executeTakeFirst(),
  )
}

/** Undefined when the turn is no longer ours. In either case but the plain one its agent has to stop. */
export async function renewLease(db: Database, hold: TurnHold): Promise<Pick<Turn, 'withdrawn_by'> | undefined> {
  return held(db, hold).set({ lease_expires_at: leaseEnd }).returning('withdrawn_by').executeTakeFirst()
}

/** The turn as its holder may write its end now, locked until the transaction is over. */
export function selectHeldTurn(tx: Transaction, { turnId, owner, marker }: TurnHold): Promise<Turn | undefined> {
  return tx
    .selectFrom('turns')
    .selectAll()
    .where('id', '=', turnId)
    .where('state', '=', 'executing')
    .where('lease_owner', '=', owner)
    .where('run_marker', '=', marker)
    .forUpdate()
    .executeTakeFirst()
}

export type TurnResult = { outcome: TurnOutcome; failureReason?: FailureReason; error?: string }

export async function retireTurn(tx: Transaction, hold: TurnHold, result: TurnResult): Promise<void> {
  await held(tx, hold)
    .set({
      state: 'ended',
      outcome: result.outcome,
      failure_reason: result.failureReason ?? null,
      error: result.error ?? null,
      ended_at: sql<Date>`now()`,
      lease_owner: null,
      lease_expires_at: null,
    })
    .execute()
}

/** Back to the head of the queue, as if nobody had taken it. */
export async function releaseTurn(tx: Transaction, hold: TurnHold): Promise<void> {
  await held(tx, hold)
    .set({
      state: 'queued',
      withdrawn_by: null,
      dispatched_at: null,
      lease_owner: null,
      lease_expires_at: null,
      run_marker: null,
      pid: null,
      pid_start_time: null,
    })
    .execute()
}

export function selectTurnsHeldBy(db: Database, owner: string): Promise<Turn[]> {
  return db.selectFrom('turns').selectAll().where('state', '=', 'executing').where('lease_owner', '=', owner).execute()
}

export type SeizedTurn = Turn & { seized_from: string }

/**
 * Takes over the turns of holders that did not renew in time: they are dead, cut off, or asleep. What they may have left
 * running is put on record for them in the same statement.
 */
export async function seizeExpiredTurns(db: Database, owner: string): Promise<SeizedTurn[]> {
  const { rows } = await sql<SeizedTurn>`
    with expired as (
      select id, lease_owner, run_marker
      from turns
      where state = 'executing' and lease_expires_at < now() and lease_owner <> ${owner}
      for update skip locked
    ),
    abandoned as (
      insert into abandoned_runs (run_marker, host_id)
      select run_marker, lease_owner from expired
      on conflict (run_marker) do nothing
    )
    update turns
    set lease_owner = ${owner}, lease_expires_at = ${leaseEnd}
    from expired
    where turns.id = expired.id
    returning turns.*, expired.lease_owner as seized_from
  `.execute(db)
  return rows
}

export async function selectAbandonedRuns(db: Database, hostId: string): Promise<string[]> {
  const runs = await db.selectFrom('abandoned_runs').select('run_marker').where('host_id', '=', hostId).execute()
  return runs.map(({ run_marker }) => run_marker)
}

export async function deleteAbandonedRun(db: Database, marker: string): Promise<void> {
  await db.deleteFrom('abandoned_runs').where('run_marker', '=', marker).execute()
}

function held(db: Database | Transaction, { turnId, owner, marker }: TurnHold) {
  return db
    .updateTable('turns')
    .where('id', '=', turnId)
    .where('state', '=', 'executing')
    .where('lease_owner', '=', owner)
    .where('run_marker', '=', marker)
}

async function isWritten(update: Promise<{ numUpdatedRows: bigint }>): Promise<boolean> {
  return (await update).numUpdatedRows > 0n
}
