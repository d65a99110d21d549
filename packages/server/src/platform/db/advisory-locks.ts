import { sql } from 'kysely'
import type { Transaction } from './database.ts'

/**
 * The keys of all advisory locks, which share one key space. A key must never change or serve another purpose: hosts of
 * different versions run side by side and must exclude each other.
 */
export const advisoryLocks = {
  migrations: 7_346_019,
  eventPositions: 7_346_020,
  categoryPositions: 7_346_021,
  admission: 7_346_022,
  placement: 7_346_023,
  indexing: 7_346_024,
  uncleLinks: 7_346_031,
  workBacklog: 7_346_032,
  gateDecisions: 7_346_033,
  vaultKeys: 7_346_034,
  oauthFlows: 7_346_036,
  loginAttempts: 7_346_037,
  backlogIssues: 7_346_038,
} as const

/** Locks with two keys, a class and a number in it. PostgreSQL keeps them apart from locks with one key. */
const lockClasses = { boardSections: 7_346 } as const

type LockName = keyof typeof advisoryLocks

/** Waits for the lock and holds it until the transaction ends. */
export async function takeLock(tx: Transaction, name: LockName): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks[name]})`.execute(tx)
}

/** False, without waiting, if another transaction holds the lock. */
export async function tryLock(tx: Transaction, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${advisoryLocks[name]}) as "isLocked"
  `.execute(tx)
  return rows[0]?.isLocked ?? false
}

export async function takeLockIn(tx: Transaction, lockClass: keyof typeof lockClasses, number: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockClasses[lockClass]}, ${number}::int)`.execute(tx)
}

/** One lock for each text. The 64-bit hash is in the key space of the table above; a collision only makes a caller wait. */
export async function takeLockOfText(tx: Transaction, text: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`.execute(tx)
}
