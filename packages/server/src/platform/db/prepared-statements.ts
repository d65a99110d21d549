import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isAborted, isOutdatedStatement, isQueryTimeout } from './outage.ts'

/** A statement with many values depends on their number and is rarely repeated. */
const maxValues = 50

/**
 * The selectivity of a pattern or a list depends on its value. PostgreSQL would choose one generic plan for all values,
 * and look up a short pattern in an index that matches everywhere.
 */
const dependsOnItsValues = /\bi?like\b|\b(any|all)\s*\(\s*\$/i

/** A single statement that PostgreSQL can plan. */
const isPlannable = /^\s*(select|insert|update|delete|with)\b[^;]*$/i

/** More than our sources contain. Combined filters can produce more, and each costs memory on every connection. */
const maxNames = 500

const maxSeenOnce = 1000

/**
 * Wraps the pool to prepare statements from their second use. PostgreSQL then parses and plans them once per
 * connection, which for most of ours costs more than executing them.
 */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const nameOf = statementNames()
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  // Incremented when a newer host has changed the tables, which invalidates all prepared statements.
  let edition = 0

  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const ownEdition = edition
    const isOutdated = (): boolean => ownEdition !== edition
    let isStuck = false
    const noteStuck = (error: unknown): never => {
      isStuck ||= isQueryTimeout(error)
      throw error
    }
    const ask = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
      const plain = { text, values: [...values] }
      const name = isOutdated() || values.length > maxValues ? undefined : nameOf(text)
      if (name === undefined) return client.query(plain)
      try {
        return await client.query({ name, ...plain })
      } catch (error) {
        if (!isOutdatedStatement(error)) throw error
        edition += 1
        // The statement failed before it had any effect. Inside a transaction everything has to be retried.
        return client.query(plain).catch((again: unknown) => {
          throw isAborted(again) ? error : again
        })
      }
    }
    return {
      // Kysely's other overload takes a cursor and is for streams, which we do not use.
      query: ((text: string, values: readonly unknown[]) =>
        ask(text, values).catch(noteStuck)) as unknown as PostgresPoolClient['query'],
      // The driver gives up on a query that timed out, but the connection still waits for its answer.
      release: () => client.release(isOutdated() || isStuck),
    }
  }
  return {
    connect: async () => {
      const client = await pool.connect()
      const prepared = known.get(client) ?? wrap(client)
      known.set(client, prepared)
      return prepared
    },
    end: () => pool.end(),
  }
}

/** The name of a statement that was used before. */
function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  const seenOnce = new Set<string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= maxNames) return name
    if (!isPlannable.test(text) || dependsOnItsValues.test(text)) return undefined
    if (seenOnce.delete(text)) {
      names.set(text, `statement_${names.size}`)
      return names.get(text)
    }
    if (seenOnce.size >= maxSeenOnce) seenOnce.clear()
    seenOnce.add(text)
    return undefined
  }
}
