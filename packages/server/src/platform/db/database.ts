import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from 'kysely'
import pg from 'pg'
import { parseJson } from '../exact-json.ts'
import type { Log } from '../log/log.ts'
import { outsideWork } from '../log/work-context.ts'
import { preparingPool } from './prepared-statements.ts'
import type { Tables } from './tables.ts'

export type Database = Kysely<Tables>
export type Transaction = KyselyTransaction<Tables>

export type Connection = { connectionString: string }

/**
 * Short enough that a caller learns of an outage before its own timeout, and long enough for a machine so busy with agents
 * that a new connection takes seconds.
 */
const connectTimeoutMs = 8000
/**
 * Wait limit for a pooled connection. Hundreds of callers of one session wait for its row lock, which is no outage. Well
 * under a lease: a caller learns that the host is overloaded before the host could count as dead.
 */
const poolWaitMs = 10_000
/**
 * A frozen host keeps the locks of its open transaction, and a host that takes over would wait for them. The database
 * ends such a transaction well before a lease expires.
 */
const idleTransactionMs = 10_000

/** The pool uses one timeout for waiting and for connecting. This class gives connecting its own. */
class ConnectTimeoutClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    const waitMs = config?.connectionTimeoutMillis ?? connectTimeoutMs
    super({ ...config, connectionTimeoutMillis: Math.min(waitMs, connectTimeoutMs) })
  }
}

type PoolOptions = {
  max: number
  log: Log
  name: string
  /** Instead of the usual limit for a pooled connection. */
  waitMs?: number
  /** Without it, a query on a dead connection waits until the kernel gives up. */
  queryTimeoutMs?: number
  /** The server cancels a statement after this long. */
  statementTimeoutMs?: number
}

export function openPool(connection: Connection, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: connection.connectionString,
    max: options.max,
    connectionTimeoutMillis: options.waitMs ?? poolWaitMs,
    Client: ConnectTimeoutClient,
    idleTimeoutMillis: 30_000,
    idle_in_transaction_session_timeout: idleTransactionMs,
    ...(options.queryTimeoutMs !== undefined && { query_timeout: options.queryTimeoutMs }),
    ...(options.statementTimeoutMs !== undefined && { statement_timeout: options.statementTimeoutMs }),
    keepAlive: true,
    application_name: `yardmaster ${options.name}`,
    types: { getTypeParser },
  })
  // A connection that breaks in use fails its query, which reports it. The event still needs a listener.
  pool.on('connect', (client) => client.on('error', () => undefined))
  // A connection that breaks while idle affects no request: the pool drops it and opens another.
  pool.on('error', (error) => {
    if (pool.ending) return
    // The connection was opened on behalf of some request, and has served others since.
    outsideWork(() => options.log.warn({ reason: error.message }, 'an idle database connection was lost'))
  })
  return pool
}

export function openDatabase(pool: pg.Pool): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparingPool(pool) }) })
}

const int8 = 20
const json = [114, 3802]

/**
 * Row ids and counts are 64-bit in PostgreSQL but stay far below 2^53. Numbers in JSON may be larger. Every other type is
 * parsed as usual.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8 && format !== 'binary') return Number
  if (json.includes(oid) && format !== 'binary') return parseJson
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')
}
