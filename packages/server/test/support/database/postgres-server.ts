import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres, urlOf } from '../../../src/platform/db/embedded/embedded-postgres.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openHome } from '../../../src/platform/home/home.ts'
import { graphileLog } from '../../../src/platform/jobs/graphile-log.ts'
import { gitWithoutMaintenance } from '../files/git-environment.ts'
import { makeRunFolder } from '../files/run-folder.ts'
import { silentLog } from '../log/silent-log.ts'
import { openPool } from './pool.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** By the application's role. */
    postgresUrl: string
    /** By the superuser, who makes and drops databases. */
    administrationUrl: string
  }
}

export const templateDatabase = 'yardmaster_template'

/** Starts one real PostgreSQL for the whole run, with a migrated template database that each test file clones. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeRunFolder()
  // The vitest workers start later and inherit it.
  Object.assign(process.env, { TMPDIR: folder }, gitWithoutMaintenance)
  // If the tests run as root, the server runs as another user and must be able to enter this folder.
  await mkdir(join(folder, 'server'))
  await chmod(join(folder, 'server'), 0o755)
  const home = await openHome(join(folder, 'server'))
  const postgres = await startEmbeddedPostgres({
    home: home.path,
    log: { info: () => undefined, warn: () => undefined },
    database: templateDatabase,
    // The data lives only for this run. Tests about durability start their own servers.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      max_connections: '300',
      // The data directory may be in memory, so the WAL stays small.
      max_wal_size: '256MB',
    },
  })
  const pool = openPool(postgres.connectionString)
  await migrate(pool, { also: () => runMigrations({ pgPool: pool, logger: graphileLog(silentLog) }) })
  // The tests open thousands of connections: one SCRAM iteration makes each of them cheap.
  const { user, password } = postgres.connection
  await pool.query(`set scram_iterations = 1; alter role ${user} password '${password}'`)
  await pool.end()
  const administrationUrl = urlOf({ ...postgres.administration, database: 'postgres' })
  await closeTemplate(administrationUrl)
  project.provide('postgresUrl', postgres.connectionString)
  project.provide('administrationUrl', administrationUrl)
  return async () => {
    await postgres.stop()
    await home.release()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A clone is refused while the template has a connection, and the server ends one some time after its client has. */
async function closeTemplate(administrationUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: administrationUrl })
  await client.connect()
  await client.query(`alter database ${templateDatabase} allow_connections false`)
  await client.query('select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = $1', [
    templateDatabase,
  ])
  await client.end()
}
