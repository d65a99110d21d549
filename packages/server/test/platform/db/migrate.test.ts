import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { testDatabase } from '../../support/database/database.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'

const trains = 'create table trains (id int primary key);'
const wagons = 'create table wagons (train_id int references trains);'

describe('our own migrations', () => {
  test('two hosts that start concurrently on an empty database apply each file once', async () => {
    const { url, pool } = await testDatabase({ isEmpty: true })
    const hosts = [openTestDatabase(url), openTestDatabase(url)]

    const applied = await Promise.all(hosts.map((host) => migrate(host.pool)))

    const { rows } = await pool.query('select version from schema_migrations order by version')
    const versions = rows.map(({ version }) => version)
    expect(versions.length).toBeGreaterThan(5)
    expect(versions).toEqual(versions.map((_, index) => index + 1))
    // One host applied everything and the other found nothing to do.
    expect(applied.map((migrations) => migrations.length).toSorted((a, b) => a - b)).toEqual([0, versions.length])
  })

  test('a second run changes nothing', async () => {
    const { pool } = await testDatabase()

    expect(await migrate(pool)).toEqual([])
  })
})

describe('a folder of migrations', () => {
  test('an unavailable extension is named, with the statement for an administrator', async () => {
    const { pool } = await testDatabase({ isEmpty: true })
    const folder = await folderOf({ '0001_signals.sql': 'create extension if not exists semaphore;' })

    await expect(migrate(pool, { folder })).rejects.toThrow(StartupError)
    await expect(migrate(pool, { folder })).rejects.toThrow('create extension semaphore;')
  })

  test('only missing migrations are applied, in order', async () => {
    const { pool } = await testDatabase({ isEmpty: true })
    await migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains }) })

    const applied = await migrate(pool, {
      folder: await folderOf({ '0001_trains.sql': trains, '0002_wagons.sql': wagons }),
    })

    expect(applied.map(({ name }) => name)).toEqual(['0002_wagons.sql'])
  })

  test('eight concurrent hosts run the additional set-up one after the other', async () => {
    const { url } = await testDatabase({ isEmpty: true })
    const { pool } = openTestDatabase(url)
    const folder = await folderOf({ '0001_trains.sql': trains })
    let underway = 0
    let mostAtOnce = 0
    const also = async (): Promise<void> => {
      underway += 1
      mostAtOnce = Math.max(mostAtOnce, underway)
      await pool.query('select pg_sleep(0.02)')
      underway -= 1
    }

    await Promise.all(Array.from({ length: 8 }, () => migrate(pool, { folder, also })))

    expect(mostAtOnce).toBe(1)
  })

  test('a database newer than the code is a StartupError and stays unchanged', async () => {
    const { pool } = await testDatabase({ isEmpty: true })
    await migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains, '0002_wagons.sql': wagons }) })

    const attempt = migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains }) })

    await expect(attempt).rejects.toThrow(StartupError)
    await expect(attempt).rejects.toThrow(
      'The database is newer than this Yardmaster: its schema is at version 2, this code knows 1.',
    )
  })

  test('a migration edited after it was applied is refused by name', async () => {
    const { pool } = await testDatabase({ isEmpty: true })
    await migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains }) })

    const attempt = migrate(pool, {
      folder: await folderOf({ '0001_trains.sql': `${trains} -- more`, '0002_wagons.sql': wagons }),
    })

    await expect(attempt).rejects.toThrow(StartupError)
    await expect(attempt).rejects.toThrow('Migration 0001_trains.sql differs from the one that was applied')
    expect(await tablesOf(pool)).not.toContain('wagons')
  })

  test('a failed migration is rolled back, and earlier migrations stay', async () => {
    const { pool } = await testDatabase({ isEmpty: true })
    const broken = 'create table half (id int); insert into trains values (1); select no_such_function();'

    const attempt = migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains, '0002_half.sql': broken }) })

    await expect(attempt).rejects.toThrow('no_such_function')
    expect(await tablesOf(pool)).toEqual(['schema_migrations', 'trains'])
    expect((await pool.query('select version from schema_migrations')).rows).toEqual([{ version: 1 }])
    expect((await pool.query('select id from trains')).rows).toEqual([])

    await migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains, '0002_half.sql': wagons }) })
    expect(await tablesOf(pool)).toContain('wagons')
  })

  test('when the connection is lost midway, the original error is thrown and the lock is released', async () => {
    const { pool } = await testDatabase({ isEmpty: true })
    const suicidal = 'create table half (id int); select pg_terminate_backend(pg_backend_pid());'

    const attempt = migrate(pool, { folder: await folderOf({ '0001_half.sql': suicidal }) })

    await expect(attempt).rejects.toThrow('terminating connection')
    await migrate(pool, { folder: await folderOf({ '0001_trains.sql': trains }) })
    expect(await tablesOf(pool)).toEqual(['schema_migrations', 'trains'])
  })

  test.each([
    ['a gap in the numbers', ['0001_trains.sql', '0003_wagons.sql'], '0003_wagons.sql should be number 2'],
    ['a duplicate number', ['0001_trains.sql', '0001_wagons.sql'], '0001_wagons.sql should be number 2'],
    ['a file without a number', ['trains.sql'], 'trains.sql should be number 1'],
  ])('a folder of migrations with %s is refused', async (_what, files, sentence) => {
    const { pool } = await testDatabase({ isEmpty: true })
    const folder = await folderOf(Object.fromEntries(files.map((file) => [file, 'select 1;'])))

    await expect(migrate(pool, { folder })).rejects.toThrow(sentence)
  })
})

async function folderOf(files: Record<string, string>): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-migrations-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return pathToFileURL(`${folder}/`)
}

async function tablesOf(pool: Awaited<ReturnType<typeof testDatabase>>['pool']): Promise<string[]> {
  const { rows } = await pool.query(`select tablename from pg_tables where schemaname = 'public' order by tablename`)
  return rows.map(({ tablename }) => tablename)
}
