import { describe, expect, test } from 'vitest'
import { onEvent } from '../../../src/platform/events/event.ts'
import type { Events } from '../../../src/platform/events/events.ts'
import { pauseQueue, resumeQueue } from '../../../src/platform/jobs/pauses.ts'
import { type RunResult, refuseDuplicateNames } from '../../../src/platform/jobs/periodic.ts'
import { testDatabase } from '../../support/database/database.ts'
import { publishWord, wordPublished } from '../../support/events/event-host.ts'
import { openTestDatabase } from '../../support/jobs/job-host.ts'
import { counter, startPeriodicHost, task } from '../../support/jobs/periodic-host.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const anHourMs = 3_600_000

describe('running', () => {
  test('a task runs at start and again at every interval', async () => {
    const { url } = await testDatabase()
    const runs = counter()

    await startPeriodicHost({ url, entries: [task({ run: runs.run })] })

    await runs.reach(5)
  })

  test('a task never overlaps itself, however long it takes', async () => {
    const { url } = await testDatabase()
    const held = heldTask()
    await startPeriodicHost({ url, entries: [task({ intervalMs: 5, run: held.run })] })
    await held.reach(1)

    await aWhile(200)
    expect(held.underway()).toBe(1)
    held.release()
    await held.reach(3)

    expect(held.most()).toBe(1)
  })

  test('a task with a concurrency of two runs twice at a time and not three times', async () => {
    const { url } = await testDatabase()
    const held = heldTask()
    await startPeriodicHost({ url, entries: [task({ intervalMs: 5, concurrency: 2, run: held.run })] })
    await held.reach(2)

    await aWhile(200)

    expect(held.underway()).toBe(2)
    held.release()
  })

  test('a task that returns "again" runs at once, and one that names a delay runs after it', async () => {
    const { url } = await testDatabase()
    const results: RunResult[] = ['again', { againAfterMs: 10 }, 'done']
    const runs = counter(() => results.shift() ?? 'done')

    await startPeriodicHost({ url, entries: [task({ intervalMs: anHourMs, run: runs.run })] })

    await runs.reach(3)
    await aWhile(100)
    expect(runs.count()).toBe(3)
  })

  test('two tasks with one name are refused at start', () => {
    expect(() => refuseDuplicateNames([{ name: 'one' }, { name: 'two' }, { name: 'one' }])).toThrow(
      'two rooms declare background work named one',
    )
  })
})

describe('waking', () => {
  test('an event starts a run at once, and one that does not match starts none', async () => {
    const { url } = await testDatabase()
    const runs = counter()
    const wakeOn = [onEvent(wordPublished, ({ word }) => word === 'wake')]
    const host = await startPeriodicHost({ url, entries: [task({ intervalMs: anHourMs, wakeOn, run: runs.run })] })
    await runs.reach(1)

    await publishWord(host, 'wake')
    await runs.reach(2)
    await publishWord(host, 'sleep on')
    await publishWord(host, 'wake')
    await runs.reach(3)

    expect(runs.count()).toBe(3)
  })

  test('events during a run start one more run after it, not one each', async () => {
    const { url } = await testDatabase()
    const held = heldTask()
    const wakeOn = [onEvent(wordPublished)]
    const host = await startPeriodicHost({ url, entries: [task({ intervalMs: anHourMs, wakeOn, run: held.run })] })
    await held.reach(1)
    const seen = followed(host.events)

    for (const word of ['one', 'two', 'three']) await publishWord(host, word)
    await seen(3)
    held.release()
    await held.reach(2)
    await aWhile(200)

    expect(held.count()).toBe(2)
  })
})

describe('one host at a time', () => {
  test('of two hosts one runs the task, and the other takes over when the first drains', async () => {
    const { url } = await testDatabase()
    const first = counter()
    const second = counter()
    const one = await startPeriodicHost({ url, entries: [task({ runs: 'one_host', run: first.run })] })
    await first.reach(1)
    await startPeriodicHost({ url, entries: [task({ runs: 'one_host', run: second.run })] })
    await first.reach(first.count() + 5)
    expect(second.count()).toBe(0)

    await one.drain()

    await second.reach(1)
  })

  test('another host takes over when the lease of a host that stopped renewing expires', async () => {
    const { url, pool } = await testDatabase()
    await pool.query(
      "insert into leases (name, owner, expires_at) values ('task', 'a dead host', now() + interval '1 hour')",
    )
    const runs = counter()
    await startPeriodicHost({ url, entries: [task({ runs: 'one_host', run: runs.run })] })
    await aWhile(100)
    expect(runs.count()).toBe(0)

    await pool.query("update leases set expires_at = now() - interval '1 s'")

    await runs.reach(1)
  })

  test('a host that restarts takes its own lease back without waiting for it to expire', async () => {
    const { url, pool } = await testDatabase()
    await pool.query(
      "insert into leases (name, owner, expires_at) values ('task', 'this host', now() + interval '1 hour')",
    )
    const runs = counter()

    await startPeriodicHost({ url, hostId: 'this host', entries: [task({ runs: 'one_host', run: runs.run })] })

    await runs.reach(1)
  })

  test('a host that lost its lease aborts its run', async () => {
    const { url, pool } = await testDatabase()
    let isAborted = false
    const run = async (_app: undefined, signal: AbortSignal): Promise<RunResult> => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      isAborted = true
      return 'done'
    }
    await startPeriodicHost({ url, ttlMs: 300, entries: [task({ runs: 'one_host', run })] })
    await eventually(
      async () => (await pool.query('select owner from leases')).rows[0]?.owner,
      (owner) => owner !== null,
    )

    await pool.query("update leases set owner = 'another host', expires_at = now() + interval '1 hour'")

    await eventually(
      async () => isAborted,
      (answer) => answer,
    )
  })

  test('a task of every host runs on each of them', async () => {
    const { url } = await testDatabase()
    const hosts = [counter(), counter()]

    for (const { run } of hosts) await startPeriodicHost({ url, entries: [task({ run })] })

    for (const runs of hosts) await runs.reach(3)
  })
})

describe('pausing', () => {
  test('a paused queue pauses its tasks, not those of other queues, and resuming runs them at once', async () => {
    const { url } = await testDatabase()
    const { db } = openTestDatabase(url)
    const own = counter()
    const other = counter()
    const unpausable = counter()
    await startPeriodicHost({
      url,
      entries: [
        task({ name: 'own', queue: 'inference', run: own.run }),
        task({ name: 'other', queue: 'default', run: other.run }),
        task({ name: 'unpausable', queue: null, run: unpausable.run }),
      ],
    })
    await own.reach(1)

    await pauseQueue(db, 'inference', 'a test')
    await overASecond()
    const paused = own.count()
    await other.reach(other.count() + 3)
    await unpausable.reach(unpausable.count() + 3)
    expect(own.count()).toBe(paused)

    await resumeQueue(db, 'inference')
    await own.reach(paused + 1)
  })

  test('an event that comes while the queue is paused starts a run when it is resumed', async () => {
    const { url } = await testDatabase()
    const { db } = openTestDatabase(url)
    await pauseQueue(db, 'default', 'a test')
    const runs = counter()
    const wakeOn = [onEvent(wordPublished)]
    const host = await startPeriodicHost({ url, entries: [task({ intervalMs: anHourMs, wakeOn, run: runs.run })] })
    const seen = followed(host.events)
    await publishWord(host, 'wake')
    await seen(1)
    expect(runs.count()).toBe(0)

    await resumeQueue(db, 'default')

    await runs.reach(1)
  })
})

describe('draining', () => {
  test('a drain aborts the signal of a run, waits for the run and starts no other', async () => {
    const { url } = await testDatabase()
    const held = heldTask()
    let isAborted = false
    const run = (_app: undefined, signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        isAborted = true
        held.release()
      })
      return held.run()
    }
    const host = await startPeriodicHost({ url, entries: [task({ run })] })
    await held.reach(1)

    await host.drain()

    expect([isAborted, held.underway(), held.count()]).toEqual([true, 0, 1])
    await aWhile(100)
    expect(held.count()).toBe(1)
  })
})

/** A task whose runs block until `release`. */
function heldTask() {
  const counted = counter()
  let underway = 0
  let most = 0
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    ...counted,
    run: async (): Promise<RunResult> => {
      underway += 1
      most = Math.max(most, underway)
      const result = await counted.run()
      await released
      underway -= 1
      return result
    },
    underway: () => underway,
    most: () => most,
    release: () => release(),
  }
}

/** Waits until this host has seen so many events. */
function followed(events: Events) {
  let count = 0
  events.follow({
    onEvents: (placed) => {
      count += placed.length
    },
    onClosed: () => undefined,
  })
  return (expected: number) =>
    eventually(
      async () => count,
      (seen) => seen >= expected,
    )
}

function aWhile(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A pause takes effect within a second; the rest is for a busy machine. */
function overASecond(): Promise<void> {
  return aWhile(1500)
}
