import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBatcher } from '../../../src/platform/concurrency/batcher.ts'
import { listeners } from '../../../src/platform/events/signals.ts'
import { bindWork, inWork, outsideWork, workUnderway } from '../../../src/platform/log/work-context.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'

test('a log line carries what the work underway is about, and its own fields win', () => {
  const { log, records } = recordedLog()
  log.info('before')
  inWork({ session_id: 7, job: 'one' }, () => {
    log.info({ job: 'two' }, 'inside')
    log.child({ part: 'a' }).info('of a child')
    inWork({ turn_id: 't' }, () => log.info('deeper'))
    outsideWork(() => log.info('outside'))
  })
  expect(records().map(({ msg, session_id, turn_id, job }) => ({ msg, session_id, turn_id, job }))).toEqual([
    { msg: 'before' },
    { msg: 'inside', session_id: 7, job: 'two' },
    { msg: 'of a child', session_id: 7, job: 'one' },
    { msg: 'deeper', session_id: 7, turn_id: 't', job: 'one' },
    { msg: 'outside' },
  ])
})

test('work that runs at the same moment keeps its own context across timers, promises and events', async () => {
  const seen = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      inWork({ session_id: index }, async () => {
        await wait(index % 7)
        await Promise.all([nextTick(), wait(1)])
        const target = new EventTarget()
        const heard = new Promise((resolve) => target.addEventListener('x', () => resolve(workUnderway().session_id)))
        target.dispatchEvent(new Event('x'))
        return [workUnderway().session_id, await heard]
      }),
    ),
  )
  expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => [index, index]))
  expect(workUnderway()).toEqual({})
})

test('a callback that another part of the host calls runs in the context of its owner', () => {
  const known = listeners()
  const seen: unknown[] = []
  inWork({ turn_id: 'mine' }, () => known.add('topic', () => seen.push(workUnderway())))
  inWork({ request_id: 'of another' }, () => known.wake('topic'))
  inWork(
    { request_id: 'of another' },
    bindWork(() => seen.push(workUnderway())),
  )
  expect(seen).toEqual([{ turn_id: 'mine' }, {}])
})

test('a batch of one request has its context, and a batch of several the context of none', async () => {
  const batcher = createBatcher()
  const seen: [readonly string[], unknown][] = []
  const handle = async (items: readonly string[]): Promise<readonly string[]> => {
    seen.push([items, workUnderway()])
    await wait(1)
    return items
  }
  const submit = (item: string) => inWork({ request_id: item }, () => batcher.submit('key', item, handle))
  await Promise.all(['a', 'b', 'c'].map(submit))
  await submit('d')
  expect(seen).toEqual([
    [['a'], { request_id: 'a' }],
    [['b', 'c'], {}],
    [['d'], { request_id: 'd' }],
  ])
})
