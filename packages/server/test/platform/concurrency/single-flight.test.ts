import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { singleFlight } from '../../../src/platform/concurrency/single-flight.ts'
import { failureOf } from '../git/playground.ts'
import { makeLatch } from './latch.ts'

test('callers share a run until it begins; a later caller starts the next run', async () => {
  const join = singleFlight()
  const latch = makeLatch()
  let runs = 0
  const start = async (run: { begin: () => void }) => {
    await latch.opened
    run.begin()
    runs += 1
    await nextTick()
  }
  const early = [join('a', undefined, start), join('a', undefined, start)]
  latch.open()
  await Promise.resolve()
  await Promise.resolve()
  expect(runs).toBe(1)
  await Promise.all([...early, join('a', undefined, start)])

  expect(runs).toBe(2)
})

test('a failure reaches every caller of the run, and the next caller starts a new run', async () => {
  const join = singleFlight()
  const fail = () => Promise.reject(new Error('Broken'))
  const both = await Promise.all([failureOf(join('a', undefined, fail)), failureOf(join('a', undefined, fail))])

  expect(both).toMatchObject([{ message: 'Broken' }, { message: 'Broken' }])
  await expect(join('a', undefined, async () => {})).resolves.toBeUndefined()
})

test('a run continues while one caller is left, and is aborted and awaited when the last caller aborts', async () => {
  const join = singleFlight()
  const [one, two] = [new AbortController(), new AbortController()]
  let ended = false
  const start = async (run: { signal: AbortSignal }) => {
    await new Promise((resolve) => run.signal.addEventListener('abort', resolve))
    await nextTick()
    ended = true
  }
  const first = failureOf(join('a', one.signal, start))
  const second = failureOf(join('a', two.signal, start))
  one.abort(new Error('One'))
  expect(await first).toMatchObject({ message: 'One' })
  expect(ended).toBe(false)
  two.abort(new Error('Two'))

  expect(await second).toMatchObject({ message: 'Two' })
  expect(ended).toBe(true)
})
