import { mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { transact } from '../../src/platform/db/transact.ts'
import type { Events, Follower } from '../../src/platform/events/events.ts'
import { sampleRepository, startTestApp, type TestApp, testApp } from '../support/app/app.ts'
import { wordPublished } from '../support/events/event-host.ts'
import { openReader, type ReceivedEvent } from '../support/events/event-reader.ts'
import { openRaw, requestHead } from '../support/http/raw-http.ts'
import { runPeriodic } from '../support/jobs/run-periodic.ts'
import { atRest, startDemo } from '../support/sessions/demo-session.ts'
import { eventually } from '../support/vitest/eventually.ts'

const app = testApp()
let repository = ''

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'yardmaster-events-'))
  repository = await sampleRepository(folder)
  return () => rm(folder, { recursive: true, force: true })
})

describe('GET /events', () => {
  test('GET /events streams the events of a session in order, from creation until it needs input', async () => {
    const reader = await openReader(app.url)
    expect(reader.status).toBe(200)
    expect(reader.headers.get('content-type')).toBe('text/event-stream')
    expect(reader.headers.get('cache-control')).toBe('no-store')

    const session = await startDemo(app, { git_root: repository, lines: ['say hello'] })
    await reader.find(({ data }) => data.session_id === session.id && data.to === 'needs_input')

    const heard = reader.events.filter(({ data }) => data.session_id === session.id)
    const states = heard.filter(({ event }) => event === 'session.created' || event === 'session.status_changed')
    expect(states.map(({ event, data }) => [event, data.from, data.to])).toEqual([
      ['session.created', undefined, undefined],
      ['session.status_changed', 'waiting', 'running'],
      ['session.status_changed', 'running', 'needs_input'],
    ])
    expect(heard.map(({ id }) => id)).toEqual(heard.map(({ id }) => id).toSorted((a, b) => a - b))
    expect(heard[0]?.data.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  test('a client without Last-Event-ID receives only new events', async () => {
    await publishWord('earlier')
    const reader = await openReader(app.url)
    await publishWord('now')

    await reader.find(hasWord('now'))
    expect(reader.events.filter(hasWord('earlier'))).toEqual([])
  })

  test('a client that reconnects receives exactly the events it missed, then new ones', async () => {
    const first = await openReader(app.url)
    await publishWord('one')
    const { id } = await first.find(hasWord('one'))
    first.close()
    await first.over
    for (const word of ['two', 'three', 'four']) await publishWord(word)

    const second = await openReader(app.url, { lastEventId: `${id}` })
    await second.find(hasWord('four'))
    await publishWord('five')
    await second.find(hasWord('five'))

    expect(second.events.flatMap(({ data }) => data.word ?? [])).toEqual(['two', 'three', 'four', 'five'])
  })

  test('a client that names an event in the address receives exactly what came after it', async () => {
    const id = await idOf('one')
    for (const word of ['two', 'three']) await publishWord(word)

    const reader = await openReader(app.url, { after: id })
    await reader.find(hasWord('three'))
    expect(reader.events.flatMap(({ data }) => data.word ?? [])).toEqual(['two', 'three'])
  })

  test('the header Last-Event-ID wins over the address, unless this service did not send it', async () => {
    const first = await idOf('one')
    const second = await idOf('two')
    await publishWord('three')

    for (const [lastEventId, words] of [
      [`${second}`, ['three']],
      ['abc', ['two', 'three']],
    ] as const) {
      const reader = await openReader(app.url, { after: first, lastEventId })
      await reader.find(hasWord('three'))
      expect(reader.events.flatMap(({ data }) => data.word ?? [])).toEqual(words)
    }
  })

  test.each(['', '999999999999999'])('GET /events?after=%s streams only new events', async (after) => {
    await publishWord('earlier')
    const reader = await openReader(app.url, { after })
    await publishWord(`after ${after}`)

    await reader.find(hasWord(`after ${after}`))
    expect(reader.events.filter(hasWord('earlier'))).toEqual([])
  })

  test.each(['abc', '-1', '1.5', '99999999999999999999', "1' or 1=1", '1\0'])(
    'GET /events answers 422 if after is not the id of an event (%j)',
    async (after) => {
      const { status } = await openReader(app.url, { after })
      expect(status).toBe(422)
    },
  )

  test.each(['', 'abc', '-1', '1.5', '1e3', '99999999999999999999', "1' or 1=1", '999999999999999'])(
    'GET /events ignores a Last-Event-ID that this service did not send (%s)',
    async (lastEventId) => {
      await publishWord('earlier')
      const reader = await openReader(app.url, { lastEventId })
      await publishWord(`after ${lastEventId}`)

      await reader.find(hasWord(`after ${lastEventId}`))
      expect(reader.status).toBe(200)
      expect(reader.events.filter(hasWord('earlier'))).toEqual([])
    },
  )

  test('a client that filters by session id or slug receives only the events of that session', async () => {
    const other = await startDemo(app, { git_root: repository, lines: ['say other'] })
    const created = await app.post('/sessions', {
      git_root: repository,
      agent_runtime: 'demo',
      prompt: 'say mine\nsleep 1',
      title: 'One to watch',
    })
    const { id, slug } = created.body.session
    expect(slug).toEqual(expect.any(String))

    const readers = [
      await openReader(app.url, { sessionId: id, lastEventId: '0' }),
      await openReader(app.url, { sessionId: slug, lastEventId: '0' }),
    ]
    await Promise.all([atRest(app, id), atRest(app, other.id)])

    for (const reader of readers) {
      await reader.find(({ data }) => data.to === 'needs_input')
      expect(new Set(reader.events.map(({ data }) => data.session_id))).toEqual(new Set([id]))
      expect(reader.events[0]?.event).toBe('session.created')
    }
  })

  test.each(['424242', 'no-such-slug'])('GET /events answers 404 for an unknown session (%s)', async (ref) => {
    const answer = await app.get(`/events?session_id=${ref}`)

    expect(answer).toMatchObject({ status: 404, body: { error: 'Not Found', messages: [expect.any(String)] } })
  })

  test('GET /events answers 401 without a key and with a wrong key', async () => {
    expect((await app.send('/api/v1/events')).status).toBe(401)
    expect((await openReader(app.url, { key: 'wrong' })).status).toBe(401)
  })
})

describe('disconnecting clients', () => {
  test('a closed connection leaves no subscription behind', async () => {
    const followers = watchFollowers(app)
    const readers = await Promise.all([1, 2, 3].map(() => openReader(app.url)))
    expect(followers.size).toBe(3)

    for (const reader of readers) reader.close()

    await eventually(
      async () => followers.size,
      (count) => count === 0,
    )
  })

  test('a client that stops reading is disconnected and misses nothing after it reconnects', async () => {
    const followers = watchFollowers(app)
    const before = await openReader(app.url)
    await publishWord('the last it read')
    const { id } = await before.find(hasWord('the last it read'))
    before.close()
    await eventually(
      async () => followers.size,
      (count) => count === 0,
    )
    const raw = openRaw(app.url)
    raw.send(requestHead('GET /api/v1/events', ['X-API-Key: test-key']))
    await eventually(
      async () => followers.size,
      (count) => count === 1,
    )
    raw.socket.pause()

    // The kernel's buffers take some megabytes before the server's begin to fill.
    let count = 0
    while (followers.size > 0) {
      await publishWord(`${count} ${'x'.repeat(200_000)}`)
      count += 1
    }

    const back = await openReader(app.url, { lastEventId: `${id}` })
    // The host may publish events of its own meanwhile, which have no word.
    await back.find(({ data }) => data.word?.startsWith(`${count - 1} `))
    const words: string[] = back.events.flatMap(({ data }) => data.word ?? [])
    expect(words.map((word) => Number(word.split(' ')[0]))).toEqual(Array.from({ length: count }, (_, index) => index))
    raw.socket.resume()
    await raw.closed
  })
})

describe('server shutdown', () => {
  test('server shutdown ends open streams cleanly', async () => {
    const { app: own, stop } = await startTestApp()
    const reader = await openReader(own.url)

    await stop()

    expect(await reader.over).toBe('ended')
  })

  test('server shutdown is not delayed by a client that does not read', async () => {
    const { app: own, stop } = await startTestApp()
    const sockets: Socket[] = []
    own.host.web?.server.server.on('connection', (socket) => sockets.push(socket))
    const followers = watchFollowers(own)
    const raw = openRaw(own.url)
    raw.send(requestHead('GET /api/v1/events', ['X-API-Key: test-key']))
    await eventually(
      async () => followers.size,
      (count) => count === 1,
    )
    raw.socket.pause()
    // Fill the kernel's buffers, so that the end of the stream cannot be written either.
    while (sockets[0]?.writableLength === 0) await publishWordOn(own, 'x'.repeat(100_000))
    expect(followers.size).toBe(1)

    await stop()

    raw.socket.resume()
    await raw.closed
  })
})

describe('prune_events', () => {
  test('prune_events deletes events older than three days and keeps newer ones', async () => {
    await publishWord('ancient')
    await publishWord('young')
    await app.pool.query(
      `update events set created_at = now() - interval '73 hours' where payload->>'word' = 'ancient'`,
    )

    await prunedAway('ancient')
    expect((await app.pool.query(`select 1 from events where payload->>'word' = 'young'`)).rowCount).toBe(1)
  })

  test('prune_events on a host whose clock is a week ahead keeps new events', async () => {
    await publishWord('antique')
    await publishWord('recent')
    await app.pool.query(
      `update events set created_at = now() - interval '73 hours' where payload->>'word' = 'antique'`,
    )
    const clock = vi.spyOn(app.host.app.clock, 'now').mockReturnValue(new Date(Date.now() + 7 * 86_400_000))
    onTestFinished(() => clock.mockRestore())
    await prunedAway('antique')
    expect((await app.pool.query(`select 1 from events where payload->>'word' = 'recent'`)).rowCount).toBe(1)
  })
})

/** Repeated, because an event that has no position yet is kept. */
async function prunedAway(word: string): Promise<void> {
  await eventually(
    async () => {
      await runPeriodic(app.host.app, 'prune_events')
      return (await app.pool.query(`select 1 from events where payload->>'word' = $1`, [word])).rowCount
    },
    (count) => count === 0,
  )
}

function publishWord(word: string): Promise<void> {
  return publishWordOn(app, word)
}

function publishWordOn({ host }: TestApp, word: string): Promise<void> {
  const { db, events } = host.app
  return transact(db, (tx) => events.publish(tx, wordPublished, { payload: { word } }))
}

/** Publishes a word and returns the id of its event. */
async function idOf(word: string): Promise<number> {
  const reader = await openReader(app.url)
  await publishWord(word)
  const { id } = await reader.find(hasWord(word))
  reader.close()
  return id
}

function hasWord(word: string): (event: ReceivedEvent) => boolean {
  return ({ data }) => data.word === word
}

/** Counts the subscribers of this host's relay during the test. */
function watchFollowers({ host }: TestApp): Set<Follower> {
  const { events } = host.app
  const followers = new Set<Follower>()
  const follow: Events['follow'] = (follower) => {
    const stop = events.follow(follower)
    followers.add(follower)
    return () => {
      followers.delete(follower)
      stop()
    }
  }
  host.app.events = { ...events, follow }
  onTestFinished(() => {
    host.app.events = events
  })
  return followers
}
