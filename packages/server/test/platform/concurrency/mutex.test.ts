import { expect, test } from 'vitest'
import { createMutex, keyedMutex } from '../../../src/platform/concurrency/mutex.ts'
import { failureOf } from '../git/playground.ts'
import { makeLatch } from './latch.ts'

test('runs the callers of one key one after the other in order, and different keys concurrently', async () => {
  const mutex = keyedMutex()
  const order: string[] = []
  const latch = makeLatch()
  const runs = [
    mutex('a', undefined, async () => {
      await latch.opened
      order.push('a1')
    }),
    mutex('a', undefined, async () => {
      order.push('a2')
    }),
    mutex('b', undefined, async () => {
      order.push('b1')
      latch.open()
    }),
  ]
  await Promise.all(runs)

  expect(order).toEqual(['b1', 'a1', 'a2'])
})

test('runs the next caller after one that failed', async () => {
  const mutex = keyedMutex()
  const failing = failureOf(mutex('a', undefined, () => Promise.reject(new Error('Broken'))))

  expect(await mutex('a', undefined, async () => 'next')).toBe('next')
  expect(await failing).toMatchObject({ message: 'Broken' })
})

test('a caller that aborts while waiting does not let a later caller overtake an earlier one', async () => {
  const mutex = keyedMutex()
  const latch = makeLatch()
  const controller = new AbortController()
  const order: string[] = []
  const first = mutex('a', undefined, async () => {
    await latch.opened
    order.push('first')
  })
  const second = failureOf(mutex('a', controller.signal, async () => order.push('second')))
  controller.abort(new Error('Gave up'))
  expect(await second).toMatchObject({ message: 'Gave up' })
  const third = mutex('a', undefined, async () => order.push('third'))
  latch.open()
  await Promise.all([first, third])

  expect(order).toEqual(['first', 'third'])
})

test('createMutex runs all work one after the other, and empty work waits for what came before', async () => {
  const mutex = createMutex()
  const latch = makeLatch()
  const order: string[] = []
  void mutex(async () => {
    await latch.opened
    order.push('first')
  })
  const second = failureOf(mutex(() => Promise.reject(new Error('Broken'))))
  const idle = mutex(async () => {}).then(() => order.push('idle'))
  latch.open()
  await idle

  expect(order).toEqual(['first', 'idle'])
  expect(await second).toMatchObject({ message: 'Broken' })
})
