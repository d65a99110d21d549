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

/** What a transaction does besides its work. */
type Course = {
  db: Database
  /** Runs after a successful commit. */
  later: (() => void)[]
  /** Runs last in the transaction. */
  gathered: Map<string, { what: unknown; close(): Promise<void> }>
}

const courses = new WeakMap<Transaction, Course>()

/** Runs `work` in one transaction, then what was gathered in it, and after a successful commit what `afterCommit` registered. */
export async function transact<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const course: Course = { db, later: [], gathered: new Map() }
    try {
      const result = await db.transaction().execute(async (tx) => {
        courses.set(tx, course)
        const done = await work(tx)
        for (const { close } of course.gathered.values()) await close()
        return done
      })
      for (const run of course.later) run()
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
  courseOf(tx).later.push(run)
}

/**
 * For what a transaction writes once about many changes: `close` runs last in it, with all that was gathered under the key.
 * Returns what was gathered so far, for the caller to add to.
 */
export function gather<What>(
  tx: Transaction,
  key: string,
  start: () => What,
  close: (what: What) => Promise<void>,
): What {
  const { gathered } = courseOf(tx)
  const known = gathered.get(key)
  if (known) return known.what as What // a key is used with one type
  const what = start()
  gathered.set(key, { what, close: () => close(what) })
  return what
}

/** The database on which the transaction was opened. */
export function databaseOf(tx: Transaction): Database {
  return courseOf(tx).db
}

function courseOf(tx: Transaction): Course {
  const course = courses.get(tx)
  if (!course) throw new Error('this needs a transaction opened by transact')
  return course
}
