import type { Database, Transaction } from './database.ts'
import { isConflict } from './outage.ts'

/** Two writers that deadlocked are both right; the loser simply goes again. */
const attempts = 3

const afterCommitWork = new WeakMap<Transaction, (() => void)[]>()

/** Runs `work` in one transaction. What it registered with `afterCommit` runs once the commit is known, and only then. */
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
    }
  }
}

/** For wake-up calls that would be wrong before the rows are visible. They may be lost in a crash: never the only way. */
export function afterCommit(tx: Transaction, run: () => void): void {
  const pending = afterCommitWork.get(tx)
  if (!pending) throw new Error('afterCommit needs a transaction opened by transact')
  pending.push(run)
}
