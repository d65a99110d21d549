import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openEventStream } from '../../../src/platform/events/event-stream.ts'
import type { Events, Follower } from '../../../src/platform/events/events.ts'
import { deleteOldEvents } from '../../../src/platform/events/outbox-store.ts'
import { testDatabase } from '../../support/database/database.ts'
import { type EventHost, openEventHost, publishWord } from '../../support/events/event-host.ts'
import { eventually } from '../../support/vitest/eventually.ts'

describe('the stream', () => {
  test('the event stream sends an event with its position as id, its name, and its payload with session and time', async () => {
    const { host } = await watchedHost()
    const stream = await open(host)
    await publishWord(host, 'hello\nworld', 7)

    const frame = await stream.next((lines) => lines.startsWith('id:'))

    const [id, name, data, ...rest] = frame.split('\n')
    expect(id).toMatch(/^id: \d+$/)
    expect(name).toBe('event: word.published')
    expect(JSON.parse(data?.replace('data: ', '') ?? '')).toEqual({
      session_id: 7,
      word: 'hello\nworld',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    })
    expect(rest).toEqual([])
  })

  test('the event stream sends heartbeats as comments', async () => {
    const { host } = await watchedHost()
    const stream = await open(host, { heartbeatMs: 5 })

    await eventually(
      async () => stream.frames.filter((frame) => frame === ': heartbeat').length,
      (count) => count >= 3,
    )
    expect(stream.frames[0]).toMatch(/^: connected\nid: \d+$/)
  })

  test('the event stream sends the events after a position and then new events, once each', async () => {
    const { host } = await watchedHost()
    for (let count = 0; count < 30; count += 1) await publishWord(host, `${count}`)
    const [, , third] = await eventually(
      () => host.events.read({ position: 0 }, 100),
      (events) => events.length === 30,
    )

    const stream = await open(host, { position: third?.position ?? 0 })
    for (let count = 30; count < 40; count += 1) await publishWord(host, `${count}`)

    await eventually(
      async () => stream.words(),
      (words) => words.includes('39'),
    )
    expect(stream.words()).toEqual(Array.from({ length: 37 }, (_, index) => `${index + 3}`))
  })

  test('the event stream tells a reader that was away for longer than events are kept, then sends what is left', async () => {
    const { host, pool } = await watchedHost()
    for (const word of ['old', 'older', 'kept']) await publishWord(host, word)
    const [, second] = await eventually(
      () => host.events.read({ position: 0 }, 100),
      (events) => events.length === 3,
    )
    const through = second?.position ?? 0
    await pool.query('update events set created_at = $1 where position <= $2', [new Date(0), through])
    await deleteOldEvents(host.db, { days: 30, limit: 1000 })

    const late = await open(host, { position: 1 })
    const missed = await late.next((frame) => frame.includes('events.missed'))
    expect(missed).toMatch(new RegExp(`^id: ${through}\\nevent: events.missed\\n`))
    expect(JSON.parse(missed.split('data: ')[1] ?? '')).toMatchObject({ after: 1, through })
    await late.next((frame) => frame.includes('kept'))

    const current = await open(host, { position: through })
    await current.next((frame) => frame.includes('kept'))
    expect(current.frames.join()).not.toContain('events.missed')
  })

  test('a slow reader is told of events that are deleted while it catches up', async () => {
    const { host, pool } = await watchedHost()
    await pool.query(
      `insert into events (name, payload) select 'word.published', jsonb_build_object('word', n::text) from generate_series(1, 1200) n`,
    )
    const last = await host.events.lastPosition()
    const closing = new AbortController()
    onTestFinished(() => closing.abort())
    const stream = openEventStream(host.events, { position: last - 1200 }, { signal: closing.signal })
    await eventually(async () => stream.writableNeedDrain, Boolean)
    const through = last - 200
    await pool.query('update events set created_at = $1 where position <= $2', [new Date(0), through])
    await deleteOldEvents(host.db, { days: 30, limit: 1000 })

    let received = ''
    stream.on('data', (chunk) => {
      received += chunk
    })
    await eventually(
      async () => received,
      (all) => all.includes(`id: ${last}\n`),
    )
    const ids = [...received.matchAll(/^id: (\d+)\nevent: (.+)$/gm)].map(([, id, name]) => ({ id: Number(id), name }))
    const gap = ids.findIndex(({ name }) => name === 'events.missed')
    expect(ids[gap]).toEqual({ id: through, name: 'events.missed' })
    expect(ids[gap + 1]).toEqual({ id: through + 1, name: 'word.published' })
  })

  test('a reader that starts when every event is deleted is told of no gap', async () => {
    const { host } = await watchedHost()
    await publishWord(host, 'gone')
    await eventually(host.events.lastPosition, (position) => position > 0)
    await deleteOldEvents(host.db, { days: -1, limit: 1000 })
    const stream = await open(host, { position: await host.events.lastPosition(), heartbeatMs: 5 })
    await stream.next((frame) => frame === ': heartbeat')
    expect(stream.frames.join()).not.toContain('events.missed')
  })

  test('readers that connect during many writes miss no event and see none twice', async () => {
    const { host } = await watchedHost()
    const all = Array.from({ length: 150 }, (_, count) => `${count}`)
    const writing = (async () => {
      for (const word of all) await publishWord(host, word)
    })()
    const streams = []
    for (let count = 0; count < 10; count += 1) {
      streams.push(await open(host))
      await publishWord(host, `reader ${count}`)
    }
    await writing

    for (const stream of streams) {
      await eventually(
        async () => stream.words(),
        (words) => words.includes('149'),
      )
      expect(stream.words().filter((word) => !word.startsWith('reader'))).toEqual(all)
    }
  })

  test('the event stream catches up with more than one batch', async () => {
    const { host, pool } = await watchedHost()
    await pool.query(
      `insert into events (name, payload) select 'word.published', jsonb_build_object('word', n::text) from generate_series(1, 1234) n`,
    )

    const stream = await open(host)
    await publishWord(host, 'last')

    await eventually(
      async () => stream.words(),
      (words) => words.includes('last'),
    )
    expect(stream.words()).toHaveLength(1235)
  })

  test('a reader of one session sees no event of another', async () => {
    const { host } = await watchedHost()
    await publishWord(host, 'missed', 1)
    await publishWord(host, 'not mine', 2)
    const stream = await open(host, { sessionId: 1 })
    await publishWord(host, 'without a session')
    await publishWord(host, 'not mine either', 2)
    await publishWord(host, 'mine', 1)

    await eventually(
      async () => stream.words(),
      (words) => words.includes('mine'),
    )
    expect(stream.words()).toEqual(['missed', 'mine'])
  })
})

describe('a client that does not read', () => {
  test('a client that does not read is disconnected when its backlog is too large, and no longer follows', async () => {
    const { host, followers } = await watchedHost()
    const stream = openEventStream(host.events, { position: 0 }, { signal: never(), maxBacklogBytes: 50_000 })
    const closed = new Promise<void>((resolve) => stream.once('close', resolve))
    expect(followers.size).toBe(1)

    const talk = async (): Promise<void> => {
      while (!stream.destroyed) await publishWord(host, 'x'.repeat(10_000))
    }
    await Promise.all([talk(), closed])

    expect(followers.size).toBe(0)
  })

  test('a client that does not read is not disconnected for events it missed before: they stay in the database', async () => {
    const { host, pool } = await watchedHost()
    await pool.query(
      `insert into events (name, payload) select 'word.published', jsonb_build_object('word', repeat('x', 1000)) from generate_series(1, 3000) n`,
    )
    await publishWord(host, 'last')
    await eventually(host.events.lastPosition, (position) => position === 3001)

    const stream = openEventStream(host.events, { position: 0 }, { signal: never(), maxBacklogBytes: 50_000 })
    onTestFinished(() => void stream.destroy())
    await eventually(
      async () => stream.writableNeedDrain,
      (isFull) => isFull,
    )
    await publishWord(host, 'more')
    await new Promise((resolve) => setTimeout(resolve, 300))

    expect(stream.destroyed).toBe(false)
    // At most a few batches of the three megabytes.
    expect(stream.writableLength).toBeLessThan(1_000_000)
    let received = ''
    stream.on('data', (chunk) => {
      received += chunk
    })
    await eventually(
      async () => received.includes('"more"'),
      (isThere) => isThere,
    )
  })
})

test('a client that reads is not disconnected for a burst larger than the limit', async () => {
  const { host, pool } = await watchedHost()
  const stream = await open(host, { maxBacklogBytes: 50_000 })
  await publishWord(host, 'first')
  await stream.next((frame) => frame.includes('first'))

  await pool.query(
    `insert into events (name, payload) select 'word.published', jsonb_build_object('word', repeat('x', 1000)) from generate_series(1, 400) n`,
  )
  await publishWord(host, 'last')

  await stream.next((frame) => frame.includes('last'))
  expect(stream.words()).toHaveLength(402)
})

describe('the end of a stream', () => {
  test('a client that disconnects no longer follows', async () => {
    const { host, followers } = await watchedHost()
    const gone = new AbortController()
    const stream = openEventStream(host.events, { position: 0 }, { signal: gone.signal })
    expect(followers.size).toBe(1)

    gone.abort()
    await publishWord(host, 'unheard')

    await eventually(
      async () => followers.size,
      (count) => count === 0,
    )
    expect(stream.destroyed).toBe(true)
  })

  test('a client that disconnected before the start never follows', async () => {
    const { host, followers } = await watchedHost()

    const stream = openEventStream(host.events, { position: 0 }, { signal: AbortSignal.abort() })

    await eventually(
      async () => followers.size,
      (count) => count === 0,
    )
    expect(stream.destroyed).toBe(true)
  })

  test('when the relay closes, the stream ends after the events it sent', async () => {
    const { host } = await watchedHost()
    const stream = openEventStream(host.events, { position: 0 }, { signal: never(), heartbeatMs: 5 })
    const received = text(stream)
    await publishWord(host, 'last words')
    await eventually(host.events.lastPosition, (position) => position > 0)

    host.events.close()

    expect(await received).toMatch(/^: connected\nid: \d+\n\n/)
  })

  test('a database failure during catch-up ends the stream, so that the client reconnects', async () => {
    const { host, followers } = await watchedHost()
    const failing: Events = { ...host.events, read: () => Promise.reject(new Error('Connection terminated')) }
    const stream = openEventStream(failing, { position: 0 }, { signal: never() })

    await eventually(
      async () => stream.destroyed,
      (isDestroyed) => isDestroyed,
    )
    expect(followers.size).toBe(0)
  })

  test('a fault during catch-up ends the stream with an error, which the server logs', async () => {
    const { host } = await watchedHost()
    const failing: Events = { ...host.events, read: () => Promise.reject(new Error('a bug')) }
    const stream = openEventStream(failing, { position: 0 }, { signal: never() })

    const [error] = await once(stream, 'error')
    expect(error).toMatchObject({ message: 'a bug' })
  })
})

/** A host whose followers can be counted. */
async function watchedHost() {
  const { url, pool } = await testDatabase()
  const host = await openEventHost(url)
  const followers = new Set<Follower>()
  const follow: Events['follow'] = (follower) => {
    const stop = host.events.follow(follower)
    followers.add(follower)
    return () => {
      followers.delete(follower)
      stop()
    }
  }
  return { pool, followers, host: { ...host, events: { ...host.events, follow } } }
}

async function open(
  { events }: Pick<EventHost, 'events'>,
  options: { position?: number; sessionId?: number; heartbeatMs?: number; maxBacklogBytes?: number } = {},
) {
  const { position = 0, sessionId, ...limits } = options
  const stream = openEventStream(
    events,
    { position, ...(sessionId !== undefined && { sessionId }) },
    { signal: never(), ...limits },
  )
  onTestFinished(() => void stream.destroy())
  const frames: string[] = []
  let received = ''
  stream.on('data', (chunk) => {
    received += chunk
    const whole = received.split('\n\n')
    received = whole.pop() ?? ''
    frames.push(...whole)
  })
  return {
    frames,
    next: async (isRight: (frame: string) => boolean): Promise<string> =>
      (await eventually(
        async () => frames.find(isRight),
        (frame) => frame !== undefined,
      )) ?? '',
    words: (): string[] =>
      frames.filter((frame) => frame.startsWith('id:')).map((frame) => JSON.parse(frame.split('data: ')[1] ?? '').word),
  }
}

function never(): AbortSignal {
  return new AbortController().signal
}
