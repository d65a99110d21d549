import { sql } from 'kysely'
import type pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Transaction } from '../../../src/platform/db/database.ts'
import { transact } from '../../../src/platform/db/transact.ts'
import { defineEvent } from '../../../src/platform/events/event.ts'
import { deleteOldEvents } from '../../../src/platform/events/outbox-store.ts'
import type { Subscription } from '../../../src/platform/events/subscription.ts'
import { deleteOldFailures, listSubscriptions } from '../../../src/platform/events/subscription-store.ts'
import { pauseQueue, resumeQueue } from '../../../src/platform/jobs/pauses.ts'
import { testDatabase } from '../../support/database/database.ts'
import { proxiedDatabase } from '../../support/database/proxied-database.ts'
import { openEventHost, publishWord, wordPublished } from '../../support/events/event-host.ts'
import { defineSubscription, startPeriodicHost } from '../../support/jobs/periodic-host.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { startLineChild } from '../../support/processes/line-child.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const other = defineEvent({ name: 'number.drawn', payload: z.object({ number: z.number() }) })

describe('delivery', () => {
  test('every event of its kinds is handled once and in order, on two hosts together', async () => {
    const { url, pool } = await wordsDatabase()
    const one = await startHost(url, [recording('words')])
    const two = await startHost(url, [recording('words')])
    const words = Array.from({ length: 40 }, (_, index) => `word ${String(index).padStart(2, '0')}`)

    await Promise.all(words.map((word, index) => publishWord(index % 2 === 0 ? one : two, word)))

    const handled = await handledWords(pool, words.length)
    expect(handled.toSorted()).toEqual(words)
    const { rows } = await pool.query("select payload ->> 'word' as word from events order by position")
    expect(handled).toEqual(rows.map(({ word }) => word))
  })

  test('the handler sees the kinds that it subscribed to, each with its own payload', async () => {
    const { url } = await wordsDatabase()
    const seen: string[] = []
    const both = defineSubscription({
      name: 'both',
      queue: 'default',
      startsAt: 'now',
      to: [wordPublished, other],
      handle: async (_app, _tx, { name, payload, sessionId }) => {
        if (name === 'word.published') seen.push(`${payload.word} of ${sessionId}`)
        else seen.push(`${payload.number + 1}`)
      },
    })
    const host = await startHost(url, [both, recording('a')])

    await publishWord(host, 'hello', 7)
    await transact(host.db, (tx) => host.events.publish(tx, other, { payload: { number: 1 } }))

    await eventually(
      async () => seen,
      (all) => all.length === 2,
    )
    expect(seen).toEqual(['hello of 7', '2'])
  })

  test('what the handler writes commits with the cursor: a handler that fails after writing leaves nothing', async () => {
    const { url, pool } = await wordsDatabase()
    let isFirst = true
    const subscription = recording('a', async () => {
      if (!isFirst) return
      isFirst = false
      throw new Error('after the write')
    })
    const host = await startHost(url, [subscription])

    await publishWord(host, 'once')

    expect(await handledWords(pool, 1)).toEqual(['once'])
    expect(isFirst).toBe(false)
  })

  test('a paused queue holds the events back until it is resumed', async () => {
    const { url, pool } = await wordsDatabase()
    const host = await startHost(url, [recording('a')])
    await pauseQueue(host.db, 'default', 'a test')
    await overASecond()
    await publishWord(host, 'later')
    await overASecond()
    expect((await pool.query('select word from handled_words')).rows).toEqual([])

    await resumeQueue(host.db, 'default')

    expect(await handledWords(pool, 1)).toEqual(['later'])
  })
})

describe('the first start', () => {
  test('a subscription that starts now handles no event from before, one from the beginning handles all', async () => {
    const { url, pool } = await wordsDatabase()
    const before = await openEventHost(url)
    await publishWord(before, 'old')
    const host = await startHost(url, [recording('now'), { ...recording('all'), startsAt: 'beginning' }])

    await publishWord(host, 'new')

    await handledWords(pool, 3)
    const { rows } = await pool.query('select host, word from handled_words order by host, id')
    expect(rows).toEqual([
      { host: 'all', word: 'old' },
      { host: 'all', word: 'new' },
      { host: 'now', word: 'new' },
    ])
  })
})

describe('after a restart', () => {
  test('a subscription resumes where it stopped', async () => {
    const { url, pool } = await wordsDatabase()
    const first = await startHost(url, [recording('a')])
    await publishWord(first, 'before')
    await handledWords(pool, 1)
    await first.drain()
    await publishWord(first, 'meanwhile')

    const second = await startHost(url, [recording('a')])
    await publishWord(second, 'after')

    expect(await handledWords(pool, 3)).toEqual(['before', 'meanwhile', 'after'])
  })

  test('an event whose host is killed while handling it is handled by another host, and its write is undone', async () => {
    const { url, pool } = await wordsDatabase()
    const runner = startLineChild(new URL('./subscription-runner.mjs', import.meta.url), [url])
    onTestFinished(() => runner.kill())
    expect(await runner.nextLine()).toBe('up')
    const publisher = await openEventHost(url)
    await publishWord(publisher, 'cut short')
    expect(await runner.nextLine()).toBe('handling cut short')
    await startHost(url, [{ ...recording('survivor'), name: 'words' }])
    await publishWord(publisher, 'next')
    await overASecond()
    // The first host holds the cursor, so the second handles no event.
    expect((await pool.query('select word from handled_words')).rows).toEqual([])

    await runner.kill()

    expect(await handledWords(pool, 2)).toEqual(['cut short', 'next'])
    const { rows } = await pool.query('select distinct host from handled_words')
    expect(rows).toEqual([{ host: 'survivor' }])
  })
})

describe('failing', () => {
  test('an event that always fails is retried, recorded as failed, logged at error and skipped', async () => {
    const { url, pool } = await wordsDatabase()
    const { log, records } = recordedLog()
    let attempts = 0
    let tryAgain = (): void => undefined
    const mayTryAgain = new Promise<void>((resolve) => {
      tryAgain = resolve
    })
    const subscription = {
      ...recording('a', async (word) => {
        if (word !== 'poison') return
        attempts += 1
        // The second try comes a second after the first, and on a busy machine before the test has looked.
        if (attempts === 2) await mayTryAgain
        throw new Error('cannot be swallowed')
      }),
      attempts: 2,
    }
    const host = await startHost(url, [subscription], log)
    // One transaction: all three are there when the first attempt fails.
    await transact(host.db, async (tx) => {
      for (const word of ['first', 'poison', 'last'])
        await host.events.publish(tx, wordPublished, { sessionId: 3, payload: { word } })
    })

    const waiting = await eventually(
      () => listSubscriptions(host.db),
      ([status]) => status?.attempts === 1,
    )
    expect(waiting).toMatchObject([
      { events_behind: 2, last_error: 'Error: cannot be swallowed', retry_at: expect.any(Date), failed_events: 0 },
    ])
    tryAgain()
    expect(await handledWords(pool, 2)).toEqual(['first', 'last'])

    expect(attempts).toBe(2)
    const { rows } = await pool.query('select * from event_subscription_failures')
    expect(rows).toMatchObject([
      {
        subscription: 'record_a',
        event_name: 'word.published',
        session_id: '3',
        payload: { word: 'poison' },
        error: 'Error: cannot be swallowed',
        attempts: 2,
      },
    ])
    const errors = records().filter(({ level }) => level === 50)
    expect(errors.map(({ msg, subscription: name, attempts: count }) => [msg, name, count])).toEqual([
      ['a subscription failed to handle an event; it tries again', 'record_a', 1],
      ['a subscription gave up on an event and skips it', 'record_a', 2],
    ])
    // An event is counted after its commit.
    const counted = 'yardmaster_subscription_events_total{subscription="record_a",outcome='
    const metrics = await eventually(
      () => host.metrics.registry.metrics(),
      (text) => text.includes(`${counted}"handled"} 2`),
    )
    for (const outcome of ['retried', 'failed']) expect(metrics).toContain(`${counted}"${outcome}"} 1`)
    expect(await listSubscriptions(host.db)).toMatchObject([{ events_behind: 0, attempts: 0, failed_events: 1 }])
  })

  test('an event whose payload no longer matches its schema fails like one whose handler fails', async () => {
    const { url, pool } = await wordsDatabase()
    const host = await startHost(url, [{ ...recording('a'), attempts: 1 }])

    await pool.query(`insert into events (name, payload) values ('word.published', '{"word": 7}')`)
    await publishWord(host, 'sound')

    expect(await handledWords(pool, 1)).toEqual(['sound'])
    expect((await pool.query('select payload from event_subscription_failures')).rows).toEqual([
      { payload: { word: 7 } },
    ])
  })

  test('a failing subscription does not hold up another', async () => {
    const { url, pool } = await wordsDatabase()
    const broken = recording('broken', async () => {
      throw new Error('always')
    })
    const host = await startHost(url, [broken, recording('sound')])

    await publishWord(host, 'hello')

    expect(await handledWords(pool, 1)).toEqual(['hello'])
  })

  test('an outage of the database is no failed attempt', async () => {
    const { url, pool } = await wordsDatabase()
    const { url: proxiedUrl, proxy } = await proxiedDatabase(url)
    let isCut = false
    const subscription = recording('a', async () => {
      if (isCut) return
      isCut = true
      proxy.cut()
    })
    const publisher = await openEventHost(url)
    await startHost(proxiedUrl, [{ ...subscription, attempts: 1 }])
    await publishWord(publisher, 'through the outage')
    await eventually(
      async () => isCut,
      (answer) => answer,
    )
    await overASecond()
    expect((await pool.query('select word from handled_words')).rows).toEqual([])

    proxy.mend()

    expect(await handledWords(pool, 1)).toEqual(['through the outage'])
    expect((await pool.query('select id from event_subscription_failures')).rows).toEqual([])
  })

  test('failed events are forgotten after thirty days', async () => {
    const { url, pool } = await wordsDatabase()
    const { db } = await openEventHost(url)
    for (const [position, days] of [
      [1, 31],
      [2, 29],
    ])
      await pool.query(
        `insert into event_subscription_failures
           (subscription, position, event_name, payload, error, attempts, failed_at)
         values ('words', $1, 'word.published', '{}', 'x', 1, now() - make_interval(days => $2))`,
        [position, days],
      )

    await deleteOldFailures(db, { days: 30, limit: 1000 })

    expect((await pool.query('select position::int from event_subscription_failures')).rows).toEqual([{ position: 2 }])
  })
})

describe('retention', () => {
  test('a subscription that is older than retention says so at error and continues with what is left', async () => {
    const { url, pool } = await wordsDatabase()
    const first = await startHost(url, [recording('a')])
    await publishWord(first, 'handled')
    await handledWords(pool, 1)
    await first.drain()
    await publishWord(first, 'pruned')
    await first.events.lastPosition()
    await pool.query("update events set created_at = now() - interval '4 days'")
    await deleteOldEvents(first.db, { days: 3, limit: 1000 })
    await publishWord(first, 'kept')

    const { log, records } = recordedLog()
    await startHost(url, [recording('a')], log)

    expect(await handledWords(pool, 2)).toEqual(['handled', 'kept'])
    expect(records().filter(({ level }) => level === 50)).toMatchObject([
      { subscription: 'record_a', msg: expect.stringContaining('may have missed events') },
    ])
  })

  test('a cursor moves past events of other kinds, so retention does not overtake an idle subscription', async () => {
    const { url, pool } = await wordsDatabase()
    const host = await startHost(url, [recording('a')])
    await transact(host.db, async (tx) => {
      for (let number = 0; number < 250; number += 1) await host.events.publish(tx, other, { payload: { number } })
    })

    const position = await eventually(
      async () => (await pool.query('select position::int from event_subscriptions')).rows[0].position,
      (at) => at >= 250,
    )

    expect(position).toBe(250)
    await publishWord(host, 'after them')
    expect(await handledWords(pool, 1)).toEqual(['after them'])
  })
})

test('the lag of a subscription is the number and the age of the events it has not handled', async () => {
  const { url, pool } = await wordsDatabase()
  const host = await startHost(url, [recording('a')])
  await publishWord(host, 'handled')
  await handledWords(pool, 1)
  await host.drain()
  expect(await listSubscriptions(host.db)).toMatchObject([{ events_behind: 0, oldest_event_at: null }])

  await publishWord(host, 'one')
  await publishWord(host, 'two')
  await host.events.lastPosition()

  const [status] = await listSubscriptions(host.db)
  const { rows } = await pool.query("select min(created_at) as at from events where payload ->> 'word' = 'one'")
  expect(status).toMatchObject({ name: 'record_a', events_behind: 2, oldest_event_at: rows[0].at })
})

async function wordsDatabase(): Promise<{ url: string; pool: pg.Pool }> {
  const { url, pool } = await testDatabase()
  await pool.query('create table handled_words (id serial primary key, word text not null, host text not null)')
  return { url, pool }
}

function startHost(url: string, subscriptions: readonly Subscription<undefined>[], log = recordedLog().log) {
  return startPeriodicHost({ url, subscriptions, log })
}

/** Writes each word into a table, in the transaction that moves the cursor. */
function recording(name: string, then: (word: string) => Promise<void> = async () => undefined) {
  return defineSubscription({
    name: `record_${name}`,
    queue: 'default',
    startsAt: 'now',
    to: [wordPublished],
    handle: async (_app, tx: Transaction, { payload: { word } }) => {
      await sql`insert into handled_words (word, host) values (${word}, ${name})`.execute(tx)
      await then(word)
    },
  })
}

async function handledWords(pool: pg.Pool, count: number): Promise<string[]> {
  const rows = await eventually(
    async () => (await pool.query<{ word: string }>('select word from handled_words order by id')).rows,
    (all) => all.length >= count,
  )
  return rows.map(({ word }) => word)
}

/** A pause takes effect within a second; the rest is for a busy machine. */
function overASecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1500))
}
