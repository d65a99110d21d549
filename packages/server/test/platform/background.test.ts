import { expect, test } from 'vitest'
import { background } from '../../src/platform/background.ts'
import { recordedLog } from '../support/log/recorded-log.ts'
import { silentLog } from '../support/log/silent-log.ts'

test('a drain tells all work to wind down and waits until it has', async () => {
  const ground = background(silentLog)
  const ended: string[] = []
  for (const name of ['one', 'two']) {
    ground.run(name, async (signal) => {
      await aborted(signal)
      await new Promise(setImmediate)
      ended.push(name)
    })
  }

  await ground.drain()

  expect(ended).toEqual(['one', 'two'])
})

test('a drain waits also for work that was begun by work that winds down', async () => {
  const ground = background(silentLog)
  const ended: string[] = []
  ground.run('parent', async (signal) => {
    await aborted(signal)
    ground.run('child', async (childSignal) => {
      expect(childSignal.aborted).toBe(true)
      await new Promise(setImmediate)
      ended.push('child')
    })
    ended.push('parent')
  })

  await ground.drain()

  expect(ended).toEqual(['parent', 'child'])
})

test('a drain does not wait for what has ended, and may come again', async () => {
  const ground = background(silentLog)
  ground.run('short', async () => undefined)

  await ground.drain()
  await ground.drain()
})

test('whoever begins work does not wait for it', async () => {
  const ground = background(silentLog)
  let hasEnded = false

  ground.run('slow', async () => {
    await new Promise(setImmediate)
    hasEnded = true
  })

  expect(hasEnded).toBe(false)
  await ground.drain()
  expect(hasEnded).toBe(true)
})

test('a fault is logged with the name of the work, and stops neither the others nor the caller', async () => {
  const { log, records } = recordedLog()
  const ground = background(log)
  let hasEnded = false

  ground.run('a broken thing', async () => {
    throw new Error('a cog is missing')
  })
  ground.run('a thing that breaks at once', () => {
    throw new Error('no cog at all')
  })
  ground.run('a sound thing', async (signal) => {
    await aborted(signal)
    hasEnded = true
  })
  await ground.drain()

  expect(hasEnded).toBe(true)
  expect(records().toSorted((a, b) => a.msg.localeCompare(b.msg))).toMatchObject([
    {
      msg: 'a broken thing failed by a fault of ours',
      err: { message: 'a cog is missing', stack: expect.any(String) },
    },
    { msg: 'a thing that breaks at once failed by a fault of ours', err: { message: 'no cog at all' } },
  ])
})

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}
