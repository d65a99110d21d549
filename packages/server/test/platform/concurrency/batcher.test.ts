import { setImmediate as nextTick } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createBatcher } from '../../../src/platform/concurrency/batcher.ts'

/** A handler whose batches each wait until the test calls `finishNext`. */
function heldHandler() {
  const batches: string[][] = []
  const finish: (() => void)[] = []
  const handle = async (items: readonly string[]): Promise<string[]> => {
    batches.push([...items])
    await new Promise<void>((resolve) => finish.push(resolve))
    if (items.includes('bad')) throw new Error('this batch failed')
    return items.map((item) => `${item}!`)
  }
  const finishNext = async (): Promise<void> => {
    finish.shift()?.()
    await nextTick()
  }
  return { batches, handle, finishNext }
}

describe('items under one key', () => {
  test('the first item is handled at once', () => {
    const { batches, handle } = heldHandler()
    void createBatcher().submit('key', 'a', handle)
    expect(batches).toEqual([['a']])
  })

  test('items submitted during a batch form the next one, in the order of submission', async () => {
    const { batches, handle, finishNext } = heldHandler()
    const batcher = createBatcher()
    const results = ['a', 'b', 'c', 'd'].map((item) => batcher.submit('key', item, handle))
    expect(batches).toEqual([['a']])
    await finishNext()
    expect(batches).toEqual([['a'], ['b', 'c', 'd']])
    results.push(batcher.submit('key', 'e', handle))
    await finishNext()
    await finishNext()
    expect(batches).toHaveLength(3)
    expect(await Promise.all(results)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!'])
  })

  test('a batch holds at most 100 items', async () => {
    const { batches, handle, finishNext } = heldHandler()
    const batcher = createBatcher()
    const results = Array.from({ length: 251 }, (_, index) => batcher.submit('key', `${index}`, handle))
    for (let round = 0; round < 4; round += 1) await finishNext()
    expect(batches.map(({ length }) => length)).toEqual([1, 100, 100, 50])
    expect(await Promise.all(results)).toEqual(Array.from({ length: 251 }, (_, index) => `${index}!`))
  })

  test('a failure rejects every item of its batch and none of the next', async () => {
    const { handle, finishNext } = heldHandler()
    const batcher = createBatcher()
    const first = batcher.submit('key', 'a', handle)
    const failed = Promise.allSettled(['b', 'bad'].map((item) => batcher.submit('key', item, handle)))
    await finishNext()
    const later = batcher.submit('key', 'c', handle)
    await finishNext()
    await finishNext()
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await Promise.all([first, later])).toEqual(['a!', 'c!'])
  })

  test('a batch whose handler returns too few results is rejected', async () => {
    const submitted = createBatcher().submit('key', 'a', async () => [])
    await expect(submitted).rejects.toThrow('A batch of 1 items returned 0 results')
  })
})

test('items under different keys do not wait for each other', async () => {
  const { batches, handle, finishNext } = heldHandler()
  const batcher = createBatcher()
  const results = [batcher.submit('one', 'a', handle), batcher.submit('other', 'b', handle)]
  expect(batches).toEqual([['a'], ['b']])
  await finishNext()
  await finishNext()
  expect(await Promise.all(results)).toEqual(['a!', 'b!'])
})
