import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { retryLevel } from '../log/retry-level.ts'
import { asMessage, listeners, type Signals } from './signals.ts'

const channel = 'yardmaster_signals'
const reconnectDelayMs = 500
/** A server that accepts the connection and never answers must not delay the next attempt. */
const connectTimeoutMs = 2500

/** LISTEN/NOTIFY on a dedicated connection, which reconnects until it succeeds. */
export async function openPostgresSignals(options: {
  connection: Connection
  pool: pg.Pool
  log: Log
}): Promise<Signals> {
  const topics = listeners()
  let client: pg.Client | undefined
  let isClosed = false

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({
      connectionString: options.connection.connectionString,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      application_name: 'yardmaster signals',
    })
    client = fresh
    fresh.on('notification', ({ payload }) => topics.wake(payload ?? ''))
    fresh.on('error', () => undefined) // the end event below logs it and reconnects
    try {
      await fresh.connect()
      await fresh.query(`listen ${channel}`)
    } catch (error) {
      await closeClient(fresh)
      throw error
    }
    fresh.once('end', () => {
      if (isClosed) return
      options.log.warn('the listening database connection was lost; reconnecting')
      void reconnect()
    })
  }
  const failureLevel = retryLevel()
  const reconnect = async (): Promise<void> => {
    while (!isClosed) {
      try {
        await connect()
        topics.wakeAll()
        failureLevel.reset()
        return
      } catch (error) {
        options.log[failureLevel.of(error)](
          { err: error },
          'the listening database connection cannot be opened; trying again',
        )
        await wait(reconnectDelayMs, undefined, { ref: false })
      }
    }
  }

  await connect()
  return {
    announce: async (topic, data) => {
      await options.pool.query('select pg_notify($1, $2)', [channel, asMessage(topic, data)])
    },
    listen: (topic, onSignal) => topics.add(topic, onSignal),
    close: async () => {
      isClosed = true
      if (client) await closeClient(client)
    },
  }
}

/** Also closes a connection that is half open or that the server no longer answers on. */
async function closeClient(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined)
  await Promise.race([ended, wait(reconnectDelayMs, undefined, { ref: false })])
}
