import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { transcriptDesk } from '../../support/sessions/transcript-fixture.ts'

test('a file that is not there yet has no lines', async () => {
  const { read, lines } = await transcriptDesk()
  expect(await read()).toBe(0)
  expect(await lines()).toEqual([])
})

test('each reading stores just what was added since the last', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, '{"n":1}\n{"n":2}\n')
  expect(await read()).toBe(2)
  await appendFile(path, '{"n":3}\n')
  expect(await read()).toBe(1)
  expect(await read()).toBe(0)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
})

test('a line is stored exactly as it was written', async () => {
  const { path, read, lines } = await transcriptDesk()
  const line = '  {"b":1,  "a":"\\u0001 \\ud83d ü 🚂","b":2}\t\r'
  await writeFile(path, `${line}\n`)
  await read()
  expect(await lines()).toEqual([line])
})

test('a last line without its end is left alone until it is complete', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, '{"n":1}\n{"n":')
  expect(await read()).toBe(1)
  await appendFile(path, '2')
  expect(await read()).toBe(0)
  await appendFile(path, '}\n')
  expect(await read()).toBe(1)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}'])
})

test('a character whose bytes arrive in two readings is read whole', async () => {
  const { path, read, lines } = await transcriptDesk()
  const bytes = Buffer.from('"🚂"\n')
  await writeFile(path, bytes.subarray(0, 3))
  await read()
  await appendFile(path, bytes.subarray(3))
  await read()
  expect(await lines()).toEqual(['"🚂"'])
})

test('blank lines are no entries and are not counted', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, '\n{"n":1}\n \r\n\n{"n":2}\n\n')
  expect(await read()).toBe(2)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}'])
  await writeFile(path, '\n{"n":1}\n \r\n\n{"n":2}\n\n\n\n')
  expect(await read()).toBe(0)
  await appendFile(path, '{"n":3}\n')
  expect(await read()).toBe(1)
})

test('lines that are not JSON are stored all the same', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, 'not json\n{"n":1}\n')
  await read()
  expect(await lines()).toEqual(['not json', '{"n":1}'])
})

test('bytes that are not UTF-8 become the replacement character, and so does NUL', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, Buffer.concat([Buffer.from('"a'), Buffer.from([0xff, 0xc3]), Buffer.from('b\0c"\n{"n":2}\n')]))
  await read()
  expect(await lines()).toEqual(['"a\uFFFD\uFFFDb\uFFFDc"', '{"n":2}'])
})

test('a line over the maximum is stored as a marked entry with its beginning, and the next lines follow', async () => {
  const { path, read, lines } = await transcriptDesk()
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

test('a line of exactly the maximum is stored whole', async () => {
  const { path, read, lines } = await transcriptDesk()
  const line = `"${'x'.repeat(8 * 1024 * 1024 - 2)}"`
  await writeFile(path, `${line}\n`)
  await read()
  const [stored = ''] = await lines()
  expect(stored.length).toBe(line.length)
  expect(stored === line).toBe(true)
})

test('more lines than one batch holds are all stored, in order', async () => {
  const { path, read, lines } = await transcriptDesk()
  const written = Array.from({ length: 1234 }, (_, n) => JSON.stringify({ n }))
  await writeFile(path, `${written.join('\n')}\n`)
  expect(await read()).toBe(1234)
  expect(await lines()).toEqual(written)
})

test('a file that became shorter changes nothing that is stored', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, '{"n":1}\n{"n":2}\n')
  await read()
  await truncate(path, 8)
  expect(await read()).toBe(0)
  expect(await lines()).toEqual(['{"n":1}', '{"n":2}'])
})

test("a subagent's thread is stored apart, with its own count and its own place in its own file", async () => {
  const { path, folder, read, lines } = await transcriptDesk()
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

test('a session that is gone stores nothing', async () => {
  const { pool, path, read } = await transcriptDesk()
  await writeFile(path, '{"n":1}\n')
  await pool.query('delete from sessions')
  await expect(read()).rejects.toThrow(/foreign key/)
  expect((await pool.query('select from transcript_entries')).rowCount).toBe(0)
})

test('a NUL that is spelled out becomes the replacement character, and one that is only talked about stays', async () => {
  const { path, read, lines } = await transcriptDesk()
  await writeFile(path, '{"a":"x\\u0000y"}\n{"b":"say \\\\u0000"}\n{"c":"\\\\\\u0000"}\n')
  await read()
  expect(await lines()).toEqual(['{"a":"x\\ufffdy"}', '{"b":"say \\\\u0000"}', '{"c":"\\\\\\ufffd"}'])
})
