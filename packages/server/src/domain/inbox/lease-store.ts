import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { ProcessIdentity } from '../../platform/process/process-table.ts'
import type { Turn } from './turn-store.ts'
import type { FailureReason, TurnOutcome } from './turn-table.ts'

/** Whose write it is. A write in the name of a turn that has moved on touches nothing. */
export type TurnHold = { turnId: string; owner: string }

/** Renewed about five times within this by a holder that lives. The database's clock decides, nobody else's. */
const leaseSeconds = 15
const leaseEnd = sql<Date>`now() + make_interval(secs => ${leaseSeconds})`

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
export function selectHeldTurn(tx: Transaction, { turnId, owner }: TurnHold): Promise<Turn | undefined> {
  return tx
    .selectFrom('turns')
    .selectAll()
    .where('id', '=', turnId)
    .where('state', '=', 'executing')
    .where('lease_owner', '=', owner)
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

/** Takes over the turns of holders that did not renew in time: they are dead, cut off, or asleep. */
export function seizeExpiredTurns(db: Database, owner: string): Promise<Turn[]> {
  return db
    .updateTable('turns')
    .set(({ ref }) => ({ lease_owner: owner, lease_expires_at: leaseEnd, seized_from: ref('lease_owner') }))
    .where('state', '=', 'executing')
    .where('lease_expires_at', '<', sql<Date>`now()`)
    .where('lease_owner', '!=', owner)
    .returningAll()
    .execute()
}

/** Turns that were taken from this host while it was away. Asked for once: what it finds it has to clean up. */
export async function takeSeizedFrom(db: Database, hostId: string): Promise<string[]> {
  const turns = await db
    .updateTable('turns')
    .set({ seized_from: null })
    .where('seized_from', '=', hostId)
    .returning('run_marker')
    .execute()
  return turns.flatMap(({ run_marker }) => run_marker ?? [])
}

function held(db: Database | Transaction, { turnId, owner }: TurnHold) {
  return db
    .updateTable('turns')
    .where('id', '=', turnId)
    .where('state', '=', 'executing')
    .where('lease_owner', '=', owner)
}

async function isWritten(update: Promise<{ numUpdatedRows: bigint }>): Promise<boolean> {
  return (await update).numUpdatedRows > 0n
}
