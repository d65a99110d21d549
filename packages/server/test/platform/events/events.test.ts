import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { transact } from '../../../src/platform/db/transact.ts'
import { deleteOldEvents } from '../../../src/platform/events/outbox-store.ts'
import type { Signals } from '../../../src/platform/events/signals.ts'
import { testDatabase } from '../../support/database/database.ts'
import { follow, openEventHost, publishWord, wordOf, wordPublished } from '../../support/events/event-host.ts'
import { eventually } from '../../support/vitest/eventually.ts'

test('followers receive an event after its transaction commits, and not before', async () => {
  const { host } = await oneHost()
  const followed = follow(host.events)

  await transact(host.db, async (tx) => {
    await host.events.publish(tx, wordPublished, { sessionId: 7, payload: { word: 'hello' } })
    await publishWord(host, 'meanwhile')
    await received(followed, 'meanwhile')
    expect(followed.words()).toEqual(['meanwhile'])
  })

  await received(followed, 'hello')
  expect(followed.placed).toMatchObject([
    { name: 'word.published', session_id: null, payload: { word: 'meanwhile' } },
    { name: 'word.published', session_id: 7, payload: { word: 'hello' }, created_at: expect.any(Date) },
  ])
})

test('followers never receive an event of a transaction that rolls back', async () => {
  const { host, pool } = await oneHost()
  const followed = follow(host.events)

  const attempt = transact(host.db, async (tx) => {
    await host.events.publish(tx, wordPublished, { payload: { word: 'unsaid' } })
    throw new Error('on second thoughts')
  })
  await expect(attempt).rejects.toThrow('on second thoughts')
  await publishWord(host, 'said')

  await received(followed, 'said')
  expect(followed.words()).toEqual(['said'])
  expect((await pool.query('select 1 from events')).rowCount).toBe(1)
})

test('a payload that does not match the schema fails the transaction', async () => {
  const { host, pool } = await oneHost()
  // As a caller that bypasses the types would publish it.
  const payload = { word: 7 } as unknown as { word: string }

  await expect(transact(host.db, (tx) => host.events.publish(tx, wordPublished, { payload }))).rejects.toThrow()

  expect((await pool.query('select 1 from events')).rowCount).toBe(0)
})

test('two hosts receive the events of twenty concurrent writers exactly once, in the same order, without a gap', async () => {
  const { url, pool } = await testDatabase()
  const hosts = await Promise.all([openEventHost(url), openEventHost(url)])
  const followers = hosts.map(({ events }) => follow(events))
  const expected: string[] = []

  await Promise.all(
    Array.from({ length: 20 }, async (_, writer) => {
      const host = hosts[writer % 2] ?? (await oneHost()).host
      for (let count = 0; count < 20; count += 1) {
        const word = `${writer}-${count}`
        expected.push(word)
        await transact(host.db, async (tx) => {
          await host.events.publish(tx, wordPublished, { payload: { word } })
          // Ids are assigned here; commits happen in any order.
          await wait((writer * 7 + count * 13) % 11)
        })
      }
    }),
  )

  for (const follower of followers) {
    await eventually(
      async () => follower.placed.length,
      (count) => count >= expected.length,
    )
  }
  const { rows } = await pool.query('select position::int, payload from events order by position')
  for (const { placed, words } of followers) {
    expect(placed.map(({ position }) => position)).toEqual(rows.map(({ position }) => position))
    expect(words().toSorted()).toEqual(expected.toSorted())
    expect(placed.map(wordOf)).toEqual(rows.map(wordOf))
  }
  // The events of each writer are in its commit order.
  const ofFirst = followers[0]?.words().filter((word) => word.startsWith('0-'))
  expect(ofFirst).toEqual(Array.from({ length: 20 }, (_, count) => `0-${count}`))
})

test('a follower that also reads from an earlier position misses no event, whenever it starts', async () => {
  const { host } = await oneHost()
  const total = 60
  const writing = (async () => {
    for (let count = 0; count < total; count += 1) await publishWord(host, `${count}`)
  })()

  // Each starts at another moment, with no follower before it.
  for (let round = 0; round < 8; round += 1) {
    const position = await host.events.lastPosition()
    const followed = follow(host.events)
    await wait(round * 3)
    const replayed = await host.events.read({ position }, 1000)
    await wait(20)
    followed.stop()
    const last = Math.max(
      position,
      ...replayed.map((event) => event.position),
      ...followed.placed.map((event) => event.position),
    )
    const seen = new Set([...replayed, ...followed.placed].map((event) => event.position))
    const between = (await host.events.read({ position }, 1000)).filter((event) => event.position <= last)
    expect(between.filter((event) => !seen.has(event.position))).toEqual([])
  }
  await writing
})

test('a follower that starts while the relay reads the last position receives the events up to it', async () => {
  const { url } = await testDatabase()
  const { host, wake } = await hostWithManualSignals(url, 1)
  const elsewhere = await openEventHost(url)

  // Without followers the relay reads the last position. Its only connection is taken between its two queries.
  wake()
  const followed = await host.db.connection().execute(async () => {
    await new Promise(setImmediate)
    const joined = follow(host.events)
    const position = await elsewhere.events.lastPosition()
    await publishWord(elsewhere, 'in between')
    await eventually(elsewhere.events.lastPosition, (last) => last > position)
    return joined
  })

  await received(followed, 'in between')
})

test('an event whose notification was lost is delivered at the next tick', async () => {
  const { url } = await testDatabase()
  const { host } = await hostWithManualSignals(url)
  const followed = follow(host.events)

  await publishWord(host, 'whispered')

  await received(followed, 'whispered')
})

test('read returns later events, oldest first, filtered by session and up to the limit', async () => {
  const { host } = await oneHost()
  for (const [word, sessionId] of [
    ['a', 1],
    ['b', 2],
    ['c', 1],
    ['d', 2],
  ] as const)
    await publishWord(host, word, sessionId)
  await eventually(
    () => host.events.read({ position: 0 }, 10),
    (events) => events.length === 4,
  )
  const [first] = await host.events.read({ position: 0 }, 1)

  expect((await host.events.read({ position: 0 }, 3)).map(wordOf)).toEqual(['a', 'b', 'c'])
  expect((await host.events.read({ position: 0, sessionId: 1 }, 10)).map(wordOf)).toEqual(['a', 'c'])
  expect((await host.events.read({ position: first?.position ?? 0 }, 10)).map(wordOf)).toEqual(['b', 'c', 'd'])
})

test('a follower that stops receives nothing more, and closing notifies the others', async () => {
  const { host } = await oneHost()
  const stopped = follow(host.events)
  stopped.stop()
  let closings = 0
  host.events.follow({ onEvents: () => undefined, onClosed: () => (closings += 1) })
  const followed = follow(host.events)

  await publishWord(host, 'hello')
  await received(followed, 'hello')
  host.events.close()
  host.events.close()

  expect(stopped.words()).toEqual([])
  expect(closings).toBe(1)
})

test('old events are pruned, and later events still get higher positions', async () => {
  const { host, pool } = await oneHost()
  await publishWord(host, 'old')
  await publishWord(host, 'recent')
  const before = await eventually(host.events.lastPosition, (position) => position >= 2)
  await pool.query(`update events set created_at = now() - interval '4 days' where payload->>'word' = 'old'`)

  const words = async () => (await pool.query(`select payload->>'word' as word from events`)).rows
  await deleteOldEvents(host.db, { days: 3, limit: 1000 })
  expect(await words()).toEqual([{ word: 'recent' }])
  await deleteOldEvents(host.db, { days: -1, limit: 1000 })
  expect(await words()).toEqual([])
  await publishWord(host, 'new')

  const [event] = await eventually(
    () => host.events.read({ position: before }, 10),
    (events) => events.length === 1,
  )
  expect(event && wordOf(event)).toBe('new')
})

async function oneHost() {
  const { url, pool } = await testDatabase()
  return { url, pool, host: await openEventHost(url) }
}

/** A host that receives only the signals that the test sends. */
async function hostWithManualSignals(url: string, connections?: number) {
  let wake: () => void = () => undefined
  const signals: Signals = {
    announce: async () => undefined,
    listen: (_topic, onSignal) => {
      wake = onSignal
      return () => undefined
    },
    close: async () => undefined,
  }
  const host = await openEventHost(url, async () => signals, connections)
  return { host, wake: () => wake() }
}

function received(followed: { words(): string[] }, word: string) {
  return eventually(
    async () => followed.words(),
    (words) => words.includes(word),
  )
}
