import { expect, test } from 'vitest'
import { background } from '../../src/platform/background.ts'
import { recordedLog } from '../support/log/recorded-log.ts'
import { silentLog } from '../support/log/silent-log.ts'

test('a drain aborts the signal of all work and waits until it ends', async () => {
  const work = background(silentLog)
  const ended: string[] = []
  for (const name of ['one', 'two']) {
    work.run(name, async (signal) => {
      await aborted(signal)
      await new Promise(setImmediate)
      ended.push(name)
    })
  }

  await work.drain()

  expect(ended).toEqual(['one', 'two'])
})

test('a drain also waits for work that was started during the drain', async () => {
  const work = background(silentLog)
  const ended: string[] = []
  work.run('parent', async (signal) => {
    await aborted(signal)
    work.run('child', async (childSignal) => {
      expect(childSignal.aborted).toBe(true)
      await new Promise(setImmediate)
      ended.push('child')
    })
    ended.push('parent')
  })

  await work.drain()

  expect(ended).toEqual(['parent', 'child'])
})

test('a drain without work returns, and a second drain is harmless', async () => {
  const work = background(silentLog)
  work.run('short', async () => undefined)

  await work.drain()
  await work.drain()
})

test('run does not wait for the work', async () => {
  const work = background(silentLog)
  let hasEnded = false

  work.run('slow', async () => {
    await new Promise(setImmediate)
    hasEnded = true
  })

  expect(hasEnded).toBe(false)
  await work.drain()
  expect(hasEnded).toBe(true)
})

test('an error is logged with the name of the work and affects neither other work nor the caller', async () => {
  const { log, records } = recordedLog()
  const work = background(log)
  let hasEnded = false

  work.run('a broken task', async () => {
    throw new Error('rejected')
  })
  work.run('a task that throws synchronously', () => {
    throw new Error('thrown')
  })
  work.run('a working task', async (signal) => {
    await aborted(signal)
    hasEnded = true
  })
  await work.drain()

  expect(hasEnded).toBe(true)
  expect(records().toSorted((a, b) => a.msg.localeCompare(b.msg))).toMatchObject([
    {
      msg: 'background work failed: a broken task',
      err: { message: 'rejected', stack: expect.any(String) },
    },
    { msg: 'background work failed: a task that throws synchronously', err: { message: 'thrown' } },
  ])
})

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}
