import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { preparing } from './prepared-statements.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>

export type Connection = { connectionString: string }

/** Short enough that a caller learns of an outage while it still listens. */
const connectTimeoutMs = 2500
/** For one of our own connections. Hundreds who speak to one session at once wait for its lock, which is no outage. */
const poolWaitMs = 15_000
/**
 * A host that stands still in the middle of a transaction keeps its locks, and whoever takes over from it would wait for
 * them; the database ends such a transaction well before a lease runs out.
 */
const idleTransactionMs = 10_000

/** The pool has one limit for waiting and for connecting; connecting gets its own here. */
class ImpatientClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectTimeoutMs })
  }
}

type PoolOptions = {
  max: number
  log: Log
  name: string
  /** A connection that is open and carries nothing would otherwise be waited for until the kernel gives up. */
  queryTimeoutMs?: number
}

export function openPool(connection: Connection, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: connection.connectionString,
    max: options.max,
    connectionTimeoutMillis: poolWaitMs,
    Client: ImpatientClient,
    idleTimeoutMillis: 30_000,
    idle_in_transaction_session_timeout: idleTransactionMs,
    ...(options.queryTimeoutMs !== undefined && { query_timeout: options.queryTimeoutMs }),
    keepAlive: true,
    application_name: `yardmaster ${options.name}`,
    types: { getTypeParser },
  })
  // A connection that dies in use fails its query, which says so; the event itself must only not go unheard.
  pool.on('connect', (client) => client.on('error', () => undefined))
  // One that dies while idle is no one's request: the pool drops it and the next query gets a new one.
  pool.on('error', (error) => {
    if (!pool.ending) options.log.warn({ reason: error.message }, 'an idle database connection was lost')
  })
  return pool
}

export function openDatabase(pool: pg.Pool): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(pool) }) })
}

const int8 = 20

/** Row ids and counts are 64-bit in PostgreSQL and far below 2^53 in fact; everything else is parsed as usual. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 && format !== 'binary') return Number
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')
}
