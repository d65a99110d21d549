import { appendFile, open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverLog } from '../../../../src/platform/db/embedded/server-log.ts'
import { exists, makeSandbox, remove } from './server-sandbox.ts'

let sandbox: string

beforeAll(async () => {
  sandbox = await makeSandbox()
})

afterAll(() => remove(sandbox))

test('a log that is too long is rotated while its writer appends, and the writer continues at the start of the file', async () => {
  const log = serverLog(join(sandbox, 'long.log'))
  await writeFile(log.file, 'x'.repeat(9 * 1024 * 1024))
  const writer = await open(log.file, 'a')
  await log.trim()
  await writer.appendFile('after\n')
  await writer.close()
  expect(await readFile(log.file, 'utf8')).toBe('after\n')
  expect((await stat(`${log.file}.1`)).size).toBe(9 * 1024 * 1024)
})

test('a short log is not rotated', async () => {
  const log = serverLog(join(sandbox, 'short.log'))
  await writeFile(log.file, 'short\n')
  await log.trim()
  expect(await readFile(log.file, 'utf8')).toBe('short\n')
  expect(await exists(`${log.file}.1`)).toBe(false)
})

test('since returns only what was written after the offset', async () => {
  const log = serverLog(join(sandbox, 'since.log'))
  expect(await log.since(0)).toBe('')
  await appendFile(log.file, 'before\n')
  const offsetBytes = await log.sizeBytes()
  await appendFile(log.file, 'after\n')
  expect(await log.since(offsetBytes)).toBe('after\n')
  await writeFile(log.file, 'cut\n')
  expect(await log.since(offsetBytes)).toBe('cut\n')
})
