import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { transcriptFixture } from '../../support/sessions/transcript-fixture.ts'

test('a missing file has no lines', async () => {
  const { read, lines } = await transcriptFixture()
  expect(await read()).toBe(0)
  expect(await lines()).toEqual([])
})

test('each call stores only the lines added since the last call', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, '{"n":1}\n{"n":2}\n')
  expect(await read()).toBe(2)
  await appendFile(path, '{"n":3}\n')
  expect(await read()).toBe(1)
  expect(await read()).toBe(0)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
})

test('a line is stored unchanged', async () => {
  const { path, read, lines } = await transcriptFixture()
  const line = '  {"b":1,  "a":"\\u0001 \\ud83d ü 🚂","b":2}\t\r'
  await writeFile(path, `${line}\n`)
  await read()
  expect(await lines()).toEqual([line])
})

test('a last line without a newline is stored only when it is complete', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, '{"n":1}\n{"n":')
  expect(await read()).toBe(1)
  await appendFile(path, '2')
  expect(await read()).toBe(0)
  await appendFile(path, '}\n')
  expect(await read()).toBe(1)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}'])
})

test('a character whose bytes arrive in two calls is decoded correctly', async () => {
  const { path, read, lines } = await transcriptFixture()
  const bytes = Buffer.from('"🚂"\n')
  await writeFile(path, bytes.subarray(0, 3))
  await read()
  await appendFile(path, bytes.subarray(3))
  await read()
  expect(await lines()).toEqual(['"🚂"'])
})

test('blank lines are neither stored nor counted', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, '\n{"n":1}\n \r\n\n{"n":2}\n\n')
  expect(await read()).toBe(2)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}'])
  await writeFile(path, '\n{"n":1}\n \r\n\n{"n":2}\n\n\n\n')
  expect(await read()).toBe(0)
  await appendFile(path, '{"n":3}\n')
  expect(await read()).toBe(1)
})

test('lines that are not JSON are stored too', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, 'not json\n{"n":1}\n')
  await read()
  expect(await lines()).toEqual(['not json', '{"n":1}'])
})

test('invalid UTF-8 and NUL become the replacement character', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, Buffer.concat([Buffer.from('"a'), Buffer.from([0xff, 0xc3]), Buffer.from('b\0c"\n{"n":2}\n')]))
  await read()
  expect(await lines()).toEqual(['"a\uFFFD\uFFFDb\uFFFDc"', '{"n":2}'])
})

test('a line over the maximum is stored as a truncated_entry with its start, and later lines are stored normally', async () => {
  const { path, read, lines } = await transcriptFixture()
  const tooLong = `{"text":"${'x'.repeat(8 * 1024 * 1024)}"}`
  await writeFile(path, `{"n":1}\n${tooLong}\n{"n":3}\n`)
  expect(await read()).toBe(3)
  const [first, marked = '', last] = await lines()
  expect([first, last]).toEqual(['{"n":1}', '{"n":3}'])
  expect(marked.length).toBeLessThan(100_000)
  expect(JSON.parse(marked)).toEqual({
    type: 'truncated_entry',
    bytes: tooLong.length,
    head: tooLong.slice(0, 64 * 1024),
  })
})

test('a line of exactly the maximum length is stored unchanged', async () => {
  const { path, read, lines } = await transcriptFixture()
  const line = `"${'x'.repeat(8 * 1024 * 1024 - 2)}"`
  await writeFile(path, `${line}\n`)
  await read()
  const [stored = ''] = await lines()
  expect(stored.length).toBe(line.length)
  expect(stored === line).toBe(true)
})

test('lines of several batches are all stored, in order', async () => {
  const { path, read, lines } = await transcriptFixture()
  const written = Array.from({ length: 1234 }, (_, n) => JSON.stringify({ n }))
  await writeFile(path, `${written.join('\n')}\n`)
  expect(await read()).toBe(1234)
  expect(await lines()).toEqual(written)
})

test('a file that became shorter does not change the stored lines', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, '{"n":1}\n{"n":2}\n')
  await read()
  await truncate(path, 8)
  expect(await read()).toBe(0)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}'])
})

test('the thread of a subagent has its own entries, sequence and read position', async () => {
  const { path, folder, read, lines } = await transcriptFixture()
  const own = join(folder, 'agent-1.jsonl')
  await writeFile(path, '{"main":1}\n{"main":2}\n')
  await writeFile(own, '{"sub":1}\n')
  await read()
  await read(own, 'agent-1')
  await appendFile(own, '{"sub":2}\n')
  await read(own, 'agent-1')
  expect(await lines()).toEqual(['{"main":1}', '{"main":2}'])
  expect(await lines('agent-1')).toEqual(['{"sub":1}', '{"sub":2}'])
})

test('a deleted session stores nothing', async () => {
  const { pool, path, read } = await transcriptFixture()
  await writeFile(path, '{"n":1}\n')
  await pool.query('delete from sessions')
  await expect(read()).rejects.toThrow(/foreign key/)
  expect((await pool.query('select from transcript_entries')).rowCount).toBe(0)
})

test('an escaped NUL becomes the replacement character, and a backslash followed by u0000 stays', async () => {
  const { path, read, lines } = await transcriptFixture()
  await writeFile(path, '{"a":"x\\u0000y"}\n{"b":"say \\\\u0000"}\n{"c":"\\\\\\u0000"}\n')
  await read()
  expect(await lines()).toEqual(['{"a":"x\\ufffdy"}', '{"b":"say \\\\u0000"}', '{"c":"\\\\\\ufffd"}'])
})
