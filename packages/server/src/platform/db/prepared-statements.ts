import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { isAborted, isOutdatedStatement } from './outage.ts'

/** One with many values is written for their number, and hardly comes again. */
const mostValues = 50

/**
 * How much a pattern or a list will find depends on what is in it. PostgreSQL would settle on one plan for all of them by
 * a guess, and a short pattern would be looked for in an index where it is everywhere.
 */
const dependsOnItsValues = /\bi?like\b|\b(any|all)\s*\(\s*\$/i

/** What can be planned, and is one statement. */
const isPlannable = /^\s*(select|insert|update|delete|with)\b[^;]*$/i

/** More than there are in our sources. Filters can be combined to more, and each costs memory on every connection. */
const mostNames = 500

const mostRemembered = 1000

/**
 * The pool with statements that are prepared when they come again: PostgreSQL reads and plans them once a connection,
 * which for most of ours is more work than to carry them out.
 */
export function preparing(pool: pg.Pool): PostgresPool {
  const nameOf = statementNames()
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  // Rises when the tables have changed under us, which a newer host may do: what was prepared before is of no use.
  let edition = 0

  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const ownEdition = edition
    const isOutdated = (): boolean => ownEdition !== edition
    const ask = async (text: string, values: readonly unknown[]): Promise<pg.QueryResult> => {
      const plain = { text, values: [...values] }
      const name = isOutdated() || values.length > mostValues ? undefined : nameOf(text)
      if (name === undefined) return client.query(plain)
      try {
        return await client.query({ name, ...plain })
      } catch (error) {
        if (!isOutdatedStatement(error)) throw error
        edition += 1
        // It failed before it did anything. In a transaction nothing more can be done, and all of it has to go again.
        return client.query(plain).catch((again: unknown) => {
          throw isAborted(again) ? error : again
        })
      }
    }
    return {
      // Kysely's other form, with a cursor, is for streams, of which we have none.
      query: ask as unknown as PostgresPoolClient['query'],
      release: () => client.release(isOutdated()),
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

/** A name for a statement that was asked for before. */
function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  const seenOnce = new Set<string>()
  return (text) => {
    const name = names.get(text)
    if (name !== undefined || names.size >= mostNames) return name
    if (!isPlannable.test(text) || dependsOnItsValues.test(text)) return undefined
    if (seenOnce.delete(text)) {
      names.set(text, `statement_${names.size}`)
      return names.get(text)
    }
    if (seenOnce.size >= mostRemembered) seenOnce.clear()
    seenOnce.add(text)
    return undefined
  }
}
