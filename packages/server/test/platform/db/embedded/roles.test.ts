import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../src/platform/db/embedded/embedded-postgres.ts'
import { migrate } from '../../../../src/platform/db/migrate.ts'
import { openPool } from '../../../support/database/pool.ts'
import { testFolder } from '../../../support/processes/server-process.ts'

const lines: string[] = []
const log = { info: (line: string) => void lines.push(line), warn: () => undefined }

async function start(home: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ home, log })
  onTestFinished(() => server.stop())
  return server
}

async function query(connection: EmbeddedPostgres['connection'], sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe("the application's database role", () => {
  test("the application's database role is no superuser, runs no programs and reads no files, and makes the whole schema", async () => {
    const { connection, connectionString } = await start(await testFolder())
    expect(
      await query(connection, 'select rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user'),
    ).toEqual([{ rolsuper: false, rolcreaterole: false, rolcreatedb: false }])
    await expect(query(connection, "copy (select 1) to program 'id'")).rejects.toThrow('permission denied')
    await expect(query(connection, "select pg_read_file('PG_VERSION')")).rejects.toThrow('permission denied')
    const pool = openPool(connectionString)
    await migrate(pool)
    await pool.end()
    expect(await query(connection, 'select count(*)::int from sessions')).toEqual([{ count: 0 }])
  })

  test("the application's database role takes over a database that an earlier version made by the superuser, once", async () => {
    const home = await testFolder()
    const first = await start(home)
    await query(
      first.administration,
      `create table kept (id serial primary key, word text); insert into kept (word) values ('old');
       create schema jobs; create type jobs.state as enum ('a'); create view seen as select * from kept;
       create function say() returns text language sql as 'select word from kept';
       alter database yardmaster owner to yardmaster`,
    )
    await first.stop()
    const second = await start(home)
    await query(
      second.connection,
      `insert into kept (word) values ('new'); alter table kept add column more int; alter type jobs.state add value 'b'`,
    )
    expect(await query(second.connection, 'select word from seen order by id')).toEqual([
      { word: 'old' },
      { word: 'new' },
    ])
    expect(
      await query(
        second.connection,
        'create or replace function say() returns text language sql as $$ select word from kept $$',
      ),
    ).toEqual([])
  })
})

describe.runIf(process.geteuid?.() === 0)('started by root', () => {
  test('the server runs as a system user of its own', async () => {
    const server = await start(await testFolder())
    const owner = execFileSync('ps', ['-o', 'user:32=', '-p', String(server.pid())], { encoding: 'utf8' })
    expect(owner.trim()).toBe('yardmaster-postgres')
  })

  test('data that belongs to the user of earlier versions moves over, once', async () => {
    const home = await testFolder()
    const first = await start(home)
    await query(first.connection, "create table kept (word text); insert into kept values ('old')")
    await first.stop()
    execFileSync('chown', ['-R', `${'nobody'}:`, join(home, 'postgres', 'data')])
    lines.length = 0
    const second = await start(home)
    expect(await query(second.connection, 'select word from kept')).toEqual([{ word: 'old' }])
    await second.stop()
    await start(home)
    expect(lines.filter((line) => line.includes('now belongs to the user yardmaster-postgres'))).toHaveLength(1)
  })
})
