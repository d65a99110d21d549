import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { copyIn, copyOut } from '../../../src/platform/db/copy.ts'
import { testDatabase } from '../../support/database/database.ts'

const opened: pg.Client[] = []

afterEach(async () => {
  for (const client of opened.splice(0)) await client.end()
})

/** A row that fills the buffer of the reader, and arrives together with the end of its COPY. */
const longRow = `copy (select repeat('x', 20000)) to stdout`

test('the connection answers the next query after a COPY that ended while its reader was slow', async () => {
  const client = await connect()

  for (let round = 1; round <= 3; round += 1) expect(await sizeOf(copyOut(client, longRow))).toBe(20_001)

  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('the connection answers the next query after a reader that left in the middle of a COPY', async () => {
  const client = await connect()

  for await (const _ of copyOut(client, `copy (select repeat('x', 1000) from generate_series(1, 50000)) to stdout`))
    break

  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('a COPY fails at its reader with the sentence of the database', async () => {
  const client = await connect()

  await expect(sizeOf(copyOut(client, 'copy missing to stdout'))).rejects.toThrow('relation "missing" does not exist')
})

test('a COPY whose connection is ended by the database fails at its reader', async () => {
  const client = await connect()
  const other = await connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const reading = sizeOf(copyOut(client, 'copy (select pg_sleep(60)) to stdout'))
  const isRefused = expect(reading).rejects.toThrow(/terminat/)

  await other.query('select pg_terminate_backend($1)', [rows[0]?.pid])

  await isRefused
})

test('rows that a COPY took arrive, and none of a source that failed', async () => {
  const client = await connect()
  await client.query('create temporary table numbers (number int)')
  async function* source(fails: boolean) {
    yield Buffer.from('1\n2\n')
    if (fails) throw new Error('the file ended')
    yield Buffer.from('3\n')
  }

  await expect(copyIn(client, 'copy numbers from stdin', source(true))).rejects.toThrow('the file ended')
  await copyIn(client, 'copy numbers from stdin', source(false))

  expect((await client.query('select sum(number)::int as sum from numbers')).rows).toEqual([{ sum: 6 }])
})

async function sizeOf(rows: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const row of rows) bytes += row.length
  return bytes
}

async function connect(): Promise<pg.Client> {
  const { url } = await testDatabase()
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  opened.push(client)
  await client.connect()
  return client
}
