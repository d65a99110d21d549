import { expect, test } from 'vitest'
import { pollEach } from '../../../src/platform/pollers/poll-each.ts'
import { RemoteFailed } from '../../../src/platform/remote-failed.ts'

const never = new AbortController().signal
const from = (start: number) => ({ signal: never, firstAt: () => start })
const failing = (kinds: Record<string, RemoteFailed['kind']>) => async (item: string) => {
  const kind = kinds[item]
  if (kind) throw new RemoteFailed(kind, `${item} failed`)
}

test('an item that the system refuses, cannot show or answers in part does not keep the others from being polled', async () => {
  const run = failing({ b: 'refused', c: 'hung', d: 'incomplete' })
  const { done, failed } = await pollEach(['a', 'b', 'c', 'd', 'e'], run, from(0))
  expect(done).toEqual(['a', 'e'])
  expect(failed.map(({ item }) => item)).toEqual(['b', 'c', 'd'])
})

test('a poll starts at any item and comes round to the others', async () => {
  expect((await pollEach(['a', 'b', 'c'], failing({}), from(2))).done).toEqual(['c', 'a', 'b'])
})

test('a system that fails three times in a row is left alone', async () => {
  const run = failing({ b: 'unreachable', c: 'hung', d: 'unreachable' })
  expect(await pollEach(['a', 'b', 'c', 'd', 'e'], run, from(0))).toMatchObject({ done: ['a'] })
})

test('a throttle ends the poll at once', async () => {
  const polled: string[] = []
  const run = async (item: string) => {
    polled.push(item)
    if (item === 'b') throw new RemoteFailed('throttled', 'slow down')
  }
  await expect(pollEach(['a', 'b', 'c'], run, from(0))).rejects.toMatchObject({ kind: 'throttled' })
  expect(polled).toEqual(['a', 'b'])
})

test('a poll of which nothing succeeded throws the first failure', async () => {
  await expect(pollEach(['a', 'b'], failing({ a: 'refused', b: 'hung' }), from(0))).rejects.toThrow('a failed')
})

test('a fault of ours is thrown at once', async () => {
  const run = async () => {
    throw new TypeError('ours')
  }
  await expect(pollEach(['a', 'b'], run, from(0))).rejects.toThrow(TypeError)
})

test('an abort ends the poll between two items', async () => {
  const stop = new AbortController()
  const run = async () => stop.abort()
  expect((await pollEach(['a', 'b'], run, { ...from(0), signal: stop.signal })).done).toEqual(['a'])
})
