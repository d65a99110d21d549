import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type pg from 'pg'
import { StartupError } from '../startup-error.ts'
import { advisoryLocks } from './advisory-locks.ts'

/** The folder is at the same depth above the sources and above the build. */
const migrationsFolder = new URL('../../../src/platform/db/migrations/', import.meta.url)

export type Migration = { version: number; name: string; sql: string; digest: string }

/**
 * Brings the schema up to date. An advisory lock serialises hosts that start at the same time, so each file is applied
 * once, in one transaction with the row that records it. `only`: up to the schema with these digests, of a backup. `also` is further set-up that must not run concurrently, such
 * as the migrations of a library.
 */
export async function migrate(
  pool: pg.Pool,
  options: { folder?: URL; only?: readonly string[]; also?: () => Promise<void> } = {},
): Promise<Migration[]> {
  const known = await readMigrations(options.folder ?? migrationsFolder)
  const migrations = options.only ? asInBackup(known, options.only) : known
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLocks.migrations])
    await refuseOldServer(client)
    const applied = await appliedMigrations(client)
    refuseUnknownMigrations(migrations, applied)
    const missing = migrations.filter(({ version }) => !applied.has(version))
    for (const migration of missing) await apply(client, migration)
    await options.also?.()
    return missing
  } finally {
    // Closing the connection releases the lock and rolls back, even if the connection is broken.
    client.release(true)
  }
}

/** Refuses the digests of a backup that this code cannot restore: of a newer schema, or of other migrations. */
export async function refuseUnknownBackup(digests: readonly string[]): Promise<void> {
  asInBackup(await readMigrations(migrationsFolder), digests)
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file, index) => {
      const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1])
      if (version !== index + 1)
        throw new Error(`migrations are numbered without gaps: ${file} should be number ${index + 1}`)
      const sql = await readFile(new URL(file, folder), 'utf8')
      return { version, name: file, sql, digest: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

function asInBackup(known: Migration[], digests: readonly string[]): Migration[] {
  if (digests.length > known.length)
    throw new StartupError(
      `The backup is newer than this Yardmaster: its schema is at version ${digests.length}, this code knows ${known.length}. Restore it with the newer version.`,
    )
  const migrations = known.slice(0, digests.length)
  const changed = migrations.find(({ digest }, index) => digest !== digests[index])
  if (changed) throw new StartupError(`Migration ${changed.name} differs from the one of the backup.`)
  return migrations
}

const oldestServer = { number: 150_000, name: 'PostgreSQL 15' }

async function refuseOldServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  )
  const server = rows[0]
  if (server && server.number < oldestServer.number) {
    throw new StartupError(
      `The database server is PostgreSQL ${server.name}; Yardmaster needs ${oldestServer.name} or later.`,
    )
  }
}

async function appliedMigrations(client: pg.PoolClient): Promise<Map<number, string>> {
  await client.query(`
    create table if not exists schema_migrations (
      version int primary key,
      name text not null,
      digest text not null,
      applied_at timestamptz not null default now()
    )
  `)
  const { rows } = await client.query<{ version: number; digest: string }>(
    'select version, digest from schema_migrations',
  )
  return new Map(rows.map(({ version, digest }) => [version, digest]))
}

function refuseUnknownMigrations(known: Migration[], applied: Map<number, string>): void {
  const newest = known.length
  const newestApplied = Math.max(0, ...applied.keys())
  if (newestApplied > newest) {
    throw new StartupError(
      `The database is newer than this Yardmaster: its schema is at version ${newestApplied}, this code knows ${newest}. Start the newer version, or restore a backup made before the upgrade.`,
    )
  }
  const changed = known.find(({ version, digest }) => applied.has(version) && applied.get(version) !== digest)
  if (changed) {
    throw new StartupError(
      `Migration ${changed.name} differs from the one that was applied to this database; migrations are never edited, only added.`,
    )
  }
}

async function apply(client: pg.PoolClient, { version, name, sql, digest }: Migration): Promise<void> {
  await client.query('begin')
  await client.query(sql).catch((error: unknown) => {
    throw isAboutExtension(sql, error) ? missingExtension(sql, error) : error
  })
  await client.query('insert into schema_migrations (version, name, digest) values ($1, $2, $3)', [
    version,
    name,
    digest,
  ])
  await client.query('commit')
}

/** No permission to create the extension, or its package is not installed with the server. */
const extensionStates = ['42501', '0A000', '58P01']

function isAboutExtension(sql: string, error: unknown): error is Error {
  return (
    extensionsOf(sql).length > 0 &&
    error instanceof Error &&
    'code' in error &&
    extensionStates.includes(String(error.code)) &&
    /extension/.test(error.message)
  )
}

function missingExtension(sql: string, error: Error): StartupError {
  const names = extensionsOf(sql)
  const statements = names.map((name) => `create extension ${name};`).join(' ')
  return new StartupError(
    `The database lacks a PostgreSQL extension that Yardmaster needs (${error.message}). Ask an administrator to run this in the database: ${statements}`,
  )
}

function extensionsOf(sql: string): string[] {
  return [...sql.matchAll(/^create extension if not exists (\w+)/gm)].map(([, name = '']) => name)
}
