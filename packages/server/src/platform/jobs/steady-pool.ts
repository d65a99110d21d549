import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../log/log.ts'

export type SteadyPool = {
  /** What the job library is given. */
  pool: pg.Pool
  /** Resolves when the end of every job so far is on record, or cannot be and `impatience` was aborted. */
  endsRecorded(): Promise<void>
}

const retryDelayMs = 500

/**
 * The pool with the promises that the job library counts on without having them. It does not wait for the statement
 * that records the end of a job, and the failure of that statement would end our process: so it is repeated until it
 * succeeds. And when the answer to a claim is lost, the job may be locked in the runner's name without anybody
 * performing it: the library is told that there was no job, and `onClaimLost` that this runner needs to be replaced.
 */
export function steadyPool(
  pool: pg.Pool,
  options: { log: Log; impatience: AbortSignal; onClaimLost(): void },
): SteadyPool {
  const ends = new Set<Promise<unknown>>()

  const recordEnd = async (statement: pg.QueryConfig): Promise<unknown> => {
    for (;;) {
      try {
        return await pool.query(statement)
      } catch (error) {
        options.log.warn({ reason: String(error) }, 'the end of a job could not be recorded now')
        // The job stays locked in this host's name; the next start releases it, and it runs again.
        if (options.impatience.aborted) return noRows
        await wait(retryDelayMs, undefined, { signal: options.impatience }).catch(() => undefined)
      }
    }
  }
  const claim = async (client: Promise<pg.PoolClient>, statement: pg.QueryConfig): Promise<unknown> => {
    try {
      return await (await client).query(statement)
    } catch (error) {
      options.log.debug({ reason: String(error) }, 'a claim for a job was lost')
      options.onClaimLost()
      return noRows
    }
  }

  /** Connects when the first statement needs it: the end of a job goes by whichever connection works. */
  const connect = async () => {
    let client: Promise<pg.PoolClient> | undefined
    return {
      query: async (statement: string | pg.QueryConfig, ...rest: unknown[]): Promise<unknown> => {
        const kind = kindOf(statement)
        if (kind === 'end' && typeof statement !== 'string') {
          const end = recordEnd(statement).finally(() => ends.delete(end))
          ends.add(end)
          return end
        }
        client ??= pool.connect()
        if (kind === 'claim' && typeof statement !== 'string') return claim(client, statement)
        return Reflect.apply((await client).query, await client, [statement, ...rest])
      },
      release: async () => {
        const connected = await client?.catch(() => undefined)
        connected?.release()
      },
    }
  }
  const steady = new Proxy(pool, {
    get: (target, key) => {
      // With a callback the library asks for the connection it listens on, which it watches and replaces by itself.
      if (key === 'connect')
        return (callback?: Connected) => (callback ? target.connect(releasingOnce(callback)) : connect())
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    pool: steady,
    endsRecorded: async () => {
      while (ends.size > 0) await Promise.all(ends)
    },
  }
}

type Connected = Parameters<pg.Pool['connect']>[0]

/** When the line breaks while a runner stops, the library returns its listening connection for both reasons. */
function releasingOnce(callback: Connected): Connected {
  return (error, client, release) => {
    let isReleased = false
    callback(error, client, (reason) => {
      if (isReleased) return
      isReleased = true
      // A pool that has been ended gives no connection, and nothing to return it by.
      release?.(reason)
    })
  }
}

const noRows = { rows: [], rowCount: 0 }

/** The library names its prepared statements after what they do. */
function kindOf(statement: string | pg.QueryConfig): 'claim' | 'end' | 'other' {
  const name = typeof statement === 'string' ? '' : (statement.name ?? '')
  if (/^get_job/.test(name)) return 'claim'
  return /^(complete|fail)_job/.test(name) ? 'end' : 'other'
}
