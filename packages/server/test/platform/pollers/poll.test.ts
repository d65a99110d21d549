import { EventEmitter, once } from 'node:events'
import { beforeEach, expect, test } from 'vitest'
import { poll } from '../../../src/platform/pollers/poll.ts'
import { RemoteFailed } from '../../../src/platform/remote-failed.ts'
import { testApp } from '../../support/app/app.ts'

const app = testApp({ environment: { ROLE: 'web' } })
beforeEach(() => app.pool.query('delete from poller_states'))

const run = (work: () => Promise<void>) => poll(app.host.app, 'test', work)
const throttled = async () => {
  throw new RemoteFailed('throttled', 'slow down', { retryAfterSeconds: 300 })
}
const wait = async () => {
  const answer = await run(async () => undefined)
  return typeof answer === 'object' ? answer.againAfterMs : 0
}

/** A poll that has begun, and ends as the test says. */
async function slowPoll() {
  const ending = new EventEmitter()
  const answer = run(async () => {
    ending.emit('begun')
    const [failure] = await once(ending, 'end')
    if (failure) throw failure
  })
  await once(ending, 'begun')
  return { end: (failure?: RemoteFailed) => ending.emit('end', failure), answer }
}

test('a system that throttles one poll is left alone, although another poll that ran meanwhile succeeds', async () => {
  const slow = await slowPoll()
  await run(throttled)
  slow.end()
  expect(await slow.answer).toBe('done')
  expect(await wait()).toBeGreaterThan(200_000)
})

test('a system that throttles one poll for long is left alone that long, although another poll fails meanwhile', async () => {
  const slow = await slowPoll()
  await run(throttled)
  slow.end(new RemoteFailed('unreachable', 'no answer'))
  await slow.answer
  expect(await wait()).toBeGreaterThan(200_000)
})

test('a system that answers again is polled as before', async () => {
  await run(throttled)
  await app.pool.query(`update poller_states set not_before = now()`)
  expect(await wait()).toBe(0)
  const { rows } = await app.pool.query('select deferrals, not_before from poller_states')
  expect(rows).toEqual([{ deferrals: 0, not_before: null }])
})
