import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { listeners, type Signals } from './signals.ts'

const channel = 'yardmaster_signals'
const reconnectDelayMs = 500
/** A server that takes the call and says nothing must not hold up the next attempt. */
const connectTimeoutMs = 2500

/** LISTEN/NOTIFY on a connection of its own, which is opened again for as long as it takes. */
export async function openPostgresSignals(options: {
  connection: Connection
  pool: pg.Pool
  log: Log
}): Promise<Signals> {
  const heard = listeners()
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
    fresh.on('notification', ({ payload }) => heard.wake(payload ?? ''))
    fresh.on('error', () => undefined) // the end event below reports and mends it
    try {
      await fresh.connect()
      await fresh.query(`listen ${channel}`)
    } catch (error) {
      await hangUp(fresh)
      throw error
    }
    fresh.once('end', () => {
      if (isClosed) return
      options.log.warn('the listening database connection was lost; connecting again')
      void reconnect()
    })
  }
  const reconnect = async (): Promise<void> => {
    while (!isClosed) {
      try {
        await connect()
        heard.wakeAll()
        return
      } catch {
        await wait(reconnectDelayMs, undefined, { ref: false })
      }
    }
  }

  await connect()
  return {
    announce: async (topic) => {
      await options.pool.query('select pg_notify($1, $2)', [channel, topic])
    },
    listen: (topic, onHeard) => heard.add(topic, onHeard),
    close: async () => {
      isClosed = true
      if (client) await hangUp(client)
    },
  }
}

/** Also a connection that is only half open, or that the server no longer answers on. */
async function hangUp(client: pg.Client): Promise<void> {
  const goodbye = client.end().catch(() => undefined)
  await Promise.race([goodbye, wait(reconnectDelayMs, undefined, { ref: false })])
}
