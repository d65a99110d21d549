import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../log/log.ts'
import { type RetryLevel, retryLevel } from '../log/retry-level.ts'

export type SteadyPool = {
  /** The pool for graphile-worker. */
  pool: pg.Pool
  /** Resolves when the outcome of every finished job is recorded, or `giveUp` aborts. */
  outcomesRecorded(): Promise<void>
}

export type SteadyPoolOptions = {
  log: Log
  /** For failed claims. Outlives the pool, because a failed claim replaces it together with its runner. */
  claimLevel: RetryLevel
  giveUp: AbortSignal
  onClaimLost(): void
}

const retryDelayMs = 500

/**
 * A pool that survives an outage in two places where graphile-worker does not. It does not await the statement that
 * records a job's outcome, and a failure of that statement would end our process: the pool retries it until it succeeds.
 * When the answer to a claim is lost, a job may be locked by a runner that does not run it: the pool answers that there is
 * no job and calls `onClaimLost`, so that the runner is replaced and its locks are released.
 */
export function steadyPool(pool: pg.Pool, options: SteadyPoolOptions): SteadyPool {
  const { log, claimLevel, giveUp } = options
  const outcomes = new Set<Promise<unknown>>()
  const outcomeLevel = retryLevel()

  const recordOutcome = async (statement: pg.QueryConfig): Promise<unknown> => {
    for (;;) {
      try {
        const result = await pool.query(statement)
        outcomeLevel.reset()
        return result
      } catch (error) {
        log[outcomeLevel.of(error)]({ err: error }, 'the outcome of a job could not be recorded; trying again')
        // The job stays locked; the next start of this host releases it, and it runs again.
        if (giveUp.aborted) return noRows
        await wait(retryDelayMs, undefined, { signal: giveUp }).catch(() => undefined)
      }
    }
  }
  const claim = async (client: Promise<pg.PoolClient>, statement: pg.QueryConfig): Promise<unknown> => {
    try {
      const result = await (await client).query(statement)
      claimLevel.reset()
      return result
    } catch (error) {
      log[claimLevel.of(error)]({ err: error }, 'a claim of jobs failed; their runner is replaced')
      options.onClaimLost()
      return noRows
    }
  }

  /** Connects at the first statement that needs it: an outcome uses any connection that works. */
  const connect = async () => {
    let client: Promise<pg.PoolClient> | undefined
    return {
      query: async (statement: string | pg.QueryConfig, ...rest: unknown[]): Promise<unknown> => {
        const kind = kindOf(statement)
        if (kind === 'outcome' && typeof statement !== 'string') {
          const outcome = recordOutcome(statement).finally(() => outcomes.delete(outcome))
          outcomes.add(outcome)
          return outcome
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
      // With a callback graphile-worker asks for its listening connection, which it monitors and replaces itself.
      if (key === 'connect')
        return (callback?: Connected) => (callback ? target.connect(releasingOnce(callback)) : connect())
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    pool: steady,
    outcomesRecorded: async () => {
      while (outcomes.size > 0) await Promise.all(outcomes)
    },
  }
}

type Connected = Parameters<pg.Pool['connect']>[0]

/** graphile-worker releases its listening connection twice when the connection breaks while a runner stops. */
function releasingOnce(callback: Connected): Connected {
  return (error, client, release) => {
    let isReleased = false
    callback(error, client, (reason) => {
      if (isReleased) return
      isReleased = true
      // An ended pool passes no connection and no release function.
      release?.(reason)
    })
  }
}

const noRows = { rows: [], rowCount: 0 }

/** graphile-worker names its prepared statements after their purpose. */
function kindOf(statement: string | pg.QueryConfig): 'claim' | 'outcome' | 'other' {
  const name = typeof statement === 'string' ? '' : (statement.name ?? '')
  if (/^get_job/.test(name)) return 'claim'
  return /^(complete|fail)_job/.test(name) ? 'outcome' : 'other'
}
