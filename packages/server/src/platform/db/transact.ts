import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Transaction } from './database.ts'
import { isConflict } from './outage.ts'

/** A deadlock is not an error of either writer: PostgreSQL aborts one transaction, and that one is retried. */
const attempts = 8
/** Doubles with each attempt. Random, so that two transactions do not meet again. */
const firstPauseMs = 10

/** Runs work in one transaction of the caller's choice. */
export type Transact = <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>

const afterCommitWork = new WeakMap<Transaction, (() => void)[]>()

/** Runs `work` in one transaction. Callbacks registered with `afterCommit` run only after a successful commit. */
export async function transact<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const pending: (() => void)[] = []
    try {
      const result = await db.transaction().execute((tx) => {
        afterCommitWork.set(tx, pending)
        return work(tx)
      })
      for (const run of pending) run()
      return result
    } catch (error) {
      if (attempt >= attempts || !isConflict(error)) throw error
      await wait(randomInt(firstPauseMs * 2 ** attempt))
    }
  }
}

/**
 * For notifications that must not precede the visible rows. A crash may lose them, so they must never be the only way.
 */
export function afterCommit(tx: Transaction, run: () => void): void {
  const pending = afterCommitWork.get(tx)
  if (!pending) throw new Error('afterCommit needs a transaction opened by transact')
  pending.push(run)
}
