import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openHome } from '../../src/platform/home/home.ts'
import { graphileLog } from '../../src/platform/jobs/graphile-log.ts'
import { silentLog } from './silent-log.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

export const templateDatabase = 'yardmaster_template'

/** One real PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-test-'))
  // The server's own user must reach its data when the tests run as root.
  await chmod(folder, 0o755)
  const home = await openHome(folder)
  const postgres = await startEmbeddedPostgres({
    home: home.path,
    log: { info: () => undefined, warn: () => undefined },
    database: templateDatabase,
    // The data is thrown away with the run; tests about durability start servers of their own.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  })
  const pool = new pg.Pool({ connectionString: postgres.connectionString })
  pool.on('connect', (client) => client.on('error', () => undefined))
  pool.on('error', () => undefined)
  await migrate(pool, { also: () => runMigrations({ pgPool: pool, logger: graphileLog(silentLog) }) })
  await pool.end()
  project.provide('postgresUrl', postgres.connectionString)
  return async () => {
    await postgres.stop()
    await home.release()
    await rm(home.path, { recursive: true, force: true })
  }
}
