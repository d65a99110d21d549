import { execFile } from 'node:child_process'
import { truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { openPrices, type Prices, settledMark } from '../../../src/domain/costs/prices.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { silentLog } from '../../support/log/silent-log.ts'

const folder = await mkdtemp(join(tmpdir(), 'yardmaster-price-file-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const path = join(folder, 'prices.json')
const write = (versions: unknown) => writeFileSync(path, JSON.stringify({ versions }))
const version = (input: number, valid_from = '2020-01-01') => ({ valid_from, per_mtok: { opus: { input, output: 1 } } })

let prices: Prices
beforeEach(async () => {
  await rm(path, { force: true })
  write([version(5)])
  prices = openPrices({ path, builtIn: {}, clock: systemClock, log: silentLog })
  expect(await answer()).toEqual({ input: 5, problem: null })
})

const answer = async () => {
  const { table, pricing } = await prices.asOf()
  return { input: table.perMtok.opus?.input, problem: pricing.problem }
}

test('a pipe or a device in the place of the price file is refused without waiting, and the last good prices stay', async () => {
  await rm(path)
  await promisify(execFile)('mkfifo', [path])
  expect(await answer()).toEqual({ input: 5, problem: 'The price file is not a regular file.' })
  await rm(path)
  await symlink('/dev/zero', path)
  expect(await answer()).toEqual({ input: 5, problem: 'The price file is not a regular file.' })
})

test('the price file may be a link, and more than 1 MB of it is not read', async () => {
  const target = join(folder, 'target.json')
  writeFileSync(target, JSON.stringify({ versions: [version(6)] }))
  await rm(path)
  await symlink(target, path)
  expect(await answer()).toEqual({ input: 6, problem: null })
  truncateSync(target, 1024 * 1024 + 1)
  expect(await answer()).toEqual({ input: 6, problem: 'The price file is larger than 1 MB.' })
})

test('requests at the same time all answer from the price file as it is now', async () => {
  writeFileSync(path, '{')
  const problem = 'The price file is not valid JSON.'
  expect(await Promise.all([answer(), answer(), answer()])).toEqual(Array(3).fill({ input: 5, problem }))
})

test('a price file that was replaced with the same size and time of change is read again', async () => {
  const { atime, mtime } = await stat(path)
  write([version(7)])
  utimesSync(path, atime, mtime)
  expect(await answer()).toEqual({ input: 7, problem: null })
})

test('a price file that has just changed gets no mark, because a second change in the same tick of the clock has the same time', async () => {
  const stats = await stat(path)
  const after = (ms: number) => settledMark(stats, new Date(stats.ctimeMs + ms))
  expect(after(0)).toBeUndefined()
  expect(after(2000)).toBeDefined()
})

test('a price file that is restored after it could not be read counts at once', async () => {
  await rm(path)
  await symlink(path, path)
  expect(await answer()).toEqual({ input: 5, problem: 'The price file cannot be read (ELOOP).' })
  await rm(path)
  write([version(8)])
  expect(await answer()).toEqual({ input: 8, problem: null })
})

test('a price file none of whose versions has begun is used, and the answer says so', async () => {
  write([version(9, '9000-01-01')])
  expect(await answer()).toEqual({
    input: 9,
    problem: expect.stringMatching(/^The price file has no version for [\d-]{10}; that of 9000-01-01 is used\.$/),
  })
})

const family = { input: 1, output: 1 }

test.each([
  [[], 'it must be an object'],
  [{}, 'versions must be a list'],
  [{ versions: [version(1)], more: 1 }, 'it has the unknown key more'],
  [{ versions: [1] }, 'versions[0] must be an object'],
  [{ versions: [{ valid_from: '2020-01-01' }] }, 'versions[0].per_mtok must be an object of families'],
  [{ versions: [{ ...version(1), prices: 1 }] }, 'versions[0] has the unknown key prices'],
  [{ versions: [{ ...version(1), cache_multipliers: 2 }] }, 'versions[0].cache_multipliers must be an object'],
  [
    { versions: [{ ...version(1), per_mtok: { opus: { input: 1 } } }] },
    'versions[0].per_mtok.opus.output must be a number of dollars',
  ],
  [
    { versions: [{ ...version(1), per_mtok: { '': family } }] },
    'versions[0].per_mtok must name families with 1 to 200 characters',
  ],
  [
    { versions: [{ ...version(1), per_mtok: { Opus: family, opus: family } }] },
    'versions[0].per_mtok must not name a family twice: capital letters make no difference',
  ],
])('the price file %j is refused in words of our own', async (content, mistake) => {
  writeFileSync(path, JSON.stringify(content))
  expect(await answer()).toEqual({ input: 5, problem: `The price file has a mistake: ${mistake}.` })
})
