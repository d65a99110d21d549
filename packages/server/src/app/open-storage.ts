import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runMigrations } from 'graphile-worker'
import type pg from 'pg'
import { type Connection, type Database, openDatabase, openPool } from '../platform/db/database.ts'
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.ts'
import { migrate } from '../platform/db/migrate.ts'
import { isOutage, isTurnedAway } from '../platform/db/outage.ts'
import type { Home } from '../platform/home/home.ts'
import { graphileLog } from '../platform/jobs/graphile-log.ts'
import { queueNames } from '../platform/jobs/queues.ts'
import type { Log } from '../platform/log/log.ts'
import { StartupError } from '../platform/startup-error.ts'

export type Storage = {
  connection: Connection
  db: Database
  /** Connections of their own for leases, signals and health: requests that wait for locks must not delay them. */
  control: Database
  controlPool: pg.Pool
  /** For the health report: a few connections with short limits, so that a slow report delays nothing else. */
  reports: Database
  /** The connections for requests. */
  pool: pg.Pool
  /** Separate from the pool that serves requests, so that neither starves the other. */
  jobsPool: pg.Pool
  /** The files of the database server and its socket, as far as they are on this machine. */
  privatePaths: readonly string[]
  close(): Promise<void>
}

/** Shared by requests and turns. Each needs a connection only during a query. */
const poolSize = 20
/** A host renews the leases of its turns and reports itself alive with these. */
const controlPoolSize = 4
/** Several attempts fit into a lease. */
const controlTimeoutMs = 2500
/**
 * The health report answers within two seconds, whatever the database does. It has more connections than it has statements about
 * sessions, turns and hosts: while those hang on a lock, the others are answered. Statements that hang are cancelled.
 */
const reportsPoolSize = 12
const reportTimeoutMs = 1500
const reportStatementMs = 900
/** None of our queries takes this long. One that does waits on a dead connection. */
const queryTimeoutMs = 20_000
/** Every queue listens on one connection and needs a few more to fetch and finish jobs. */
const jobsPoolSize = queueNames.length + 6

/** The configured database or the embedded one, with its schema up to date. */
export async function openStorage(options: {
  databaseUrl: string | undefined
  home: Home
  log: Log
  connectTimeoutMs?: number
}): Promise<Storage> {
  const { databaseUrl, home, log, connectTimeoutMs = defaultConnectTimeoutMs } = options
  const embedded =
    databaseUrl === undefined ? await startEmbeddedPostgres({ home: home.path, log: plainLog(log) }) : undefined
  const connection = { connectionString: databaseUrl ?? embedded?.connectionString ?? '' }
  const pool = openPool(connection, { max: poolSize, log, name: 'requests', queryTimeoutMs })
  // No query timeout: hosts wait for each other's migrations, and a migration may be slow.
  const setupPool = openPool(connection, { max: 2, log, name: 'setup' })
  const jobsPool = openPool(connection, { max: jobsPoolSize, log, name: 'jobs' })
  const controlPool = openPool(connection, {
    max: controlPoolSize,
    log,
    name: 'control',
    waitMs: controlTimeoutMs,
    queryTimeoutMs: controlTimeoutMs,
  })
  const reportsPool = openPool(connection, {
    max: reportsPoolSize,
    log,
    name: 'reports',
    waitMs: reportTimeoutMs,
    queryTimeoutMs: reportTimeoutMs,
    statementTimeoutMs: reportStatementMs,
  })
  const reports = openDatabase(reportsPool)
  const db = openDatabase(pool)
  const control = openDatabase(controlPool)
  const close = async (): Promise<void> => {
    await Promise.allSettled([db.destroy(), control.destroy(), reports.destroy(), jobsPool.end()])
    await embedded?.stop()
  }
  try {
    await waitForDatabase(setupPool, { log, connectTimeoutMs })
    await migrate(setupPool, { also: () => runMigrations({ pgPool: setupPool, logger: graphileLog(log) }) })
  } catch (error) {
    await close()
    throw error
  } finally {
    await setupPool.end()
  }
  const privatePaths = embedded?.privatePaths ?? socketsOf(databaseUrl)
  return { connection, db, control, controlPool, reports, pool, jobsPool, privatePaths, close }
}

/** Enough for a database that starts at the same time as this host. */
const defaultConnectTimeoutMs = 30_000
const retryDelayMs = 500

/** The database may start a little after this host. Any other error than an outage is reported at once. */
async function waitForDatabase(
  pool: pg.Pool,
  { log, connectTimeoutMs }: { log: Log; connectTimeoutMs: number },
): Promise<void> {
  const deadline = performance.now() + connectTimeoutMs
  for (let isFirst = true; ; isFirst = false) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!isOutage(error) || isTurnedAway(error))
        throw new StartupError(`The database rejected the connection: ${reason}. Check DATABASE_URL.`)
      if (performance.now() > deadline)
        throw new StartupError(
          `The database could not be reached for ${connectTimeoutMs / 1000} s: ${reason}. Check DATABASE_URL and that its server runs.`,
        )
      if (isFirst) log.warn({ reason }, `the database is not reachable yet; retrying for ${connectTimeoutMs / 1000} s`)
      await wait(retryDelayMs)
    }
  }
}

/** The socket that a URL names. PostgreSQL takes a folder as the host. */
function socketsOf(databaseUrl: string | undefined): string[] {
  const url = databaseUrl === undefined ? undefined : new URL(databaseUrl)
  const folder = url?.searchParams.get('host') ?? decodeURIComponent(url?.hostname ?? '')
  return folder.startsWith('/') ? [join(folder, `.s.PGSQL.${url?.port || 5432}`)] : []
}

function plainLog(log: Log): { info(line: string): void; warn(line: string): void } {
  return { info: (line) => log.info(line), warn: (line) => log.warn(line) }
}
