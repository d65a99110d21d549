import { expect, test } from 'vitest'
import { abortable } from '../../../src/platform/concurrency/abortable.ts'
import { failureOf } from '../git/playground.ts'
import { makeLatch } from './latch.ts'

test('settles like the promise when the signal does not abort', async () => {
  const { signal } = new AbortController()
  const failure = new Error('Broken')

  expect(await abortable(Promise.resolve('result'), signal)).toBe('result')
  expect(await abortable(Promise.resolve('result'), undefined)).toBe('result')
  expect(await failureOf(abortable(Promise.reject(failure), signal))).toBe(failure)
})

test('rejects with the reason of the abort while the promise is pending', async () => {
  const controller = new AbortController()
  const reason = new Error('No longer wanted')
  const waiting = failureOf(abortable(makeLatch().opened, controller.signal))
  controller.abort(reason)

  expect(await waiting).toBe(reason)
})

test('rejects at once when the signal has aborted already', async () => {
  const reason = new Error('No longer wanted')

  expect(await failureOf(abortable(Promise.resolve('result'), AbortSignal.abort(reason)))).toBe(reason)
})
