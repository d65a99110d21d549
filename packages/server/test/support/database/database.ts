import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { applicationRole } from '../../../src/platform/db/embedded/create-database.ts'
import { openPool } from './pool.ts'

const templateDatabase = 'yardmaster_template'

/** A new database, cloned from the migrated template. `drop` deletes it. */
export async function cloneDatabase(
  options: { isEmpty?: boolean } = {},
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const template = options.isEmpty ? 'template0' : templateDatabase
  // `file_copy` costs a tenth of the default strategy, which writes every page to the WAL.
  await administer(`create database ${name} template ${template} strategy file_copy owner ${applicationRole}`)
  return { url: urlOf(name), drop: () => administer(`drop database if exists ${name} with (force)`) }
}

/** As `cloneDatabase`, with a pool. Dropped when the test finishes. */
export async function testDatabase(options: { isEmpty?: boolean } = {}): Promise<{ url: string; pool: pg.Pool }> {
  const database = await cloneDatabase(options)
  const pool = openPool(database.url)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  return { url: database.url, pool }
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('postgres', 'administrationUrl') })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function urlOf(database: string, by: 'postgresUrl' | 'administrationUrl' = 'postgresUrl'): string {
  const url = new URL(inject(by))
  url.pathname = `/${database}`
  return url.href
}
