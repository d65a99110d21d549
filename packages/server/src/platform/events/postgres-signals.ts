import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import { listeners, type Signals } from './signals.ts'

const channel = 'yardmaster_signals'
const reconnectDelayMs = 500

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
      keepAlive: true,
      application_name: 'yardmaster signals',
    })
    fresh.on('notification', ({ payload }) => heard.wake(payload ?? ''))
    fresh.on('error', () => undefined) // the end event below reports and mends it
    await fresh.connect()
    await fresh.query(`listen ${channel}`)
    fresh.once('end', () => {
      if (isClosed) return
      options.log.warn('the listening database connection was lost; connecting again')
      void reconnect()
    })
    client = fresh
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
      await client?.end().catch(() => undefined)
    },
  }
}
