import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { ProcessIdentity } from '../../platform/process/process-table.ts'
import { hasPeers } from '../hosts/hosts.ts'
import type { Turn } from './turn-store.ts'
import type { FailureReason, TurnOutcome } from './turn-table.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    abandoned_runs: { run_marker: string; host_id: string; abandoned_at: Generated<Date> }
  }
}

/** Fencing token of one run of a turn. A write with the token of an earlier run changes no row. */
export type TurnHold = { turnId: string; owner: string; marker: string }

/** A live host renews about five times within this. Only the database's clock decides when a lease expires. */
const leaseSeconds = 15
/**
 * No other host waits for the turns of the only host, so it may keep its agents through an outage of the database. A host
 * that joins during the outage waits this long.
 */
const soleLeaseSeconds = 60

function leaseEnd(owner: string) {
  return sql<Date>`now() + make_interval(secs => case when ${hasPeers(owner)} then ${leaseSeconds}::float8 else ${soleLeaseSeconds}::float8 end)`
}

/** What is left of the lease, for the holder, whose clock may be wrong. */
const secondsLeft = sql<number>`extract(epoch from lease_expires_at - now())::float8`.as('lease_seconds')

/** A turn as its holder gets it. */
export type LeasedTurn = Turn & { lease_seconds: number }

/**
 * Undefined if the turn is not dispatched: another host runs it, or it has run. A retry with the same marker gets the
 * turn again, because the connection may have failed after the first attempt was committed.
 */
export function claimTurn(
  tx: Transaction,
  { turnId, owner, marker }: TurnHold,
  keyDigest: Buffer,
): Promise<LeasedTurn | undefined> {
  return tx
    .updateTable('turns')
    .set({
      state: 'executing',
      lease_owner: owner,
      lease_expires_at: leaseEnd(owner),
      run_marker: marker,
      key_digest: keyDigest,
    })
    .where('id', '=', turnId)
    .where((is) =>
      is.or([is('state', '=', 'dispatched'), is.and({ state: 'executing', lease_owner: owner, run_marker: marker })]),
    )
    .returningAll()
    .returning(secondsLeft)
    .executeTakeFirst()
}

/** The session whose agent holds the key with this digest, while its turn is executing and not withdrawn. */
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

/** Written before the agent gets its prompt: a turn without a process was not delivered. */
export function recordProcess(tx: Transaction, hold: TurnHold, { pid, startTime }: ProcessIdentity): Promise<boolean> {
  return isWritten(held(tx, hold).set({ pid, pid_start_time: startTime }).executeTakeFirst())
}

/**
 * The agent of the executing turn has received its prompt: from here on the turn is never released for a second start.
 * `needsProcess`: only if the agent's process was recorded.
 */
export async function recordReceipt(
  db: Database | Transaction,
  { sessionId, owner, needsProcess = false }: { sessionId: number; owner: string; needsProcess?: boolean },
): Promise<void> {
  await db
    .updateTable('turns')
    .set({ started_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('state', '=', 'executing')
    .where('lease_owner', '=', owner)
    .where('started_at', 'is', null)
    .$if(needsProcess, (update) => update.where('pid', 'is not', null))
    .execute()
}

/** Undefined if this host has lost the turn. The agent must stop then, and also if the turn is withdrawn. */
export async function renewLease(
  db: Database,
  hold: TurnHold,
): Promise<Pick<LeasedTurn, 'withdrawn_by' | 'lease_seconds'> | undefined> {
  return held(db, hold)
    .set({ lease_expires_at: leaseEnd(hold.owner) })
    .returning(['withdrawn_by', secondsLeft])
    .executeTakeFirst()
}

/**
 * True if `hold` owns the turn. No host takes it over or ends it before the transaction ends, so what the transaction
 * writes in the name of the turn is written in time. The lock lets lease renewals pass.
 */
export async function lockHold(tx: Transaction, hold: TurnHold): Promise<boolean> {
  const turn = await tx
    .selectFrom('turns')
    .select('id')
    .where((is) => is.and(ownedBy(hold)))
    .forKeyShare()
    .executeTakeFirst()
  return turn !== undefined
}

/** The turn, if `hold` still owns it; its row stays locked until the transaction ends. */
export function findHeldTurn(tx: Transaction, hold: TurnHold): Promise<Turn | undefined> {
  return tx
    .selectFrom('turns')
    .selectAll()
    .where((is) => is.and(ownedBy(hold)))
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

/** Returns the turn to the head of its session's queue, as before it was dispatched. */
export async function releaseTurn(tx: Transaction, hold: TurnHold): Promise<void> {
  await held(tx, hold).set(released).execute()
}

/** The pauses before the second and the third start. A disk that was full for a moment is writable again by then. */
export const startRetryDelaysSeconds = [1, 10]

/** As `releaseTurn`, for a turn that failed before its agent received the prompt. */
export async function releaseFailedTurn(tx: Transaction, hold: TurnHold, retryAfterSeconds: number): Promise<void> {
  await held(tx, hold)
    .set({
      ...released,
      failed_starts: sql<number>`failed_starts + 1`,
      retry_at: sql<Date>`now() + make_interval(secs => ${retryAfterSeconds})`,
    })
    .execute()
}

const released = {
  state: 'queued',
  withdrawn_by: null,
  dispatched_at: null,
  lease_owner: null,
  lease_expires_at: null,
  run_marker: null,
  pid: null,
  pid_start_time: null,
} as const

/** `ran_on`: the host that started its agent, which is another one if the turn was taken over. */
export type HeldTurn = Turn & { ran_on: string | null }

export function findTurnsHeldBy(db: Database, owner: string): Promise<HeldTurn[]> {
  return db
    .selectFrom('turns')
    .innerJoin('sessions', 'sessions.id', 'turns.session_id')
    .selectAll('turns')
    .select('sessions.host_id as ran_on')
    .where('turns.state', '=', 'executing')
    .where('turns.lease_owner', '=', owner)
    .execute()
}

export type SeizedTurn = Turn & { seized_from: string }

/**
 * Takes over turns whose lease has expired: their host is dead, disconnected or suspended. The same statement records
 * the run markers, so that such a host can end its leftover processes when it is back.
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
    set lease_owner = ${owner}, lease_expires_at = ${leaseEnd(owner)}
    from expired
    where turns.id = expired.id
    returning turns.*, expired.lease_owner as seized_from
  `.execute(db)
  return rows
}

export async function findAbandonedRuns(db: Database, hostId: string): Promise<string[]> {
  const runs = await db.selectFrom('abandoned_runs').select('run_marker').where('host_id', '=', hostId).execute()
  return runs.map(({ run_marker }) => run_marker)
}

export async function forgetAbandonedRun(db: Database, marker: string): Promise<void> {
  await db.deleteFrom('abandoned_runs').where('run_marker', '=', marker).execute()
}

function held(db: Database | Transaction, hold: TurnHold) {
  return db.updateTable('turns').where((is) => is.and(ownedBy(hold)))
}

/** The columns of a turn that `hold` owns. Every write in the name of a turn is fenced by them. */
function ownedBy({ turnId, owner, marker }: TurnHold) {
  return { id: turnId, state: 'executing', lease_owner: owner, run_marker: marker } as const
}

async function isWritten(update: Promise<{ numUpdatedRows: bigint }>): Promise<boolean> {
  return (await update).numUpdatedRows > 0n
}

/** A host that does not come back for so long no longer ends the processes that it left behind. */
export async function deleteOldRuns(db: Database, keptDays: number): Promise<void> {
  await db
    .deleteFrom('abandoned_runs')
    .where('abandoned_at', '<', sql<Date>`now() - make_interval(days => ${keptDays})`)
    .execute()
}
