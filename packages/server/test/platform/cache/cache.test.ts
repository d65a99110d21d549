import { describe, expect, onTestFinished, test } from 'vitest'
import { type Cache, noCache } from '../../../src/platform/cache/cache.ts'
import { memoryCache } from '../../../src/platform/cache/memory-cache.ts'
import { openRedis, redisCache } from '../../../src/platform/cache/redis-cache.ts'
import { StartupError } from '../../../src/platform/startup-error.ts'
import { recordedLog } from '../../support/log/recorded-log.ts'
import { silentLog } from '../../support/log/silent-log.ts'
import { redisProgram, startRedisServer } from '../../support/processes/redis-server.ts'
import { eventually } from '../../support/vitest/eventually.ts'

const stores = [
  { name: 'in-process', isHere: true, open: async () => memoryCache({ clock: { now: () => new Date() } }) },
  { name: 'redis', isHere: redisProgram !== undefined, open: async () => connected((await startRedisServer()).url) },
] as const

describe.each(stores)('the $name store', ({ name, isHere, open }) => {
  test.skipIf(!isHere)('says what it is', async () => {
    expect((await open()).store).toBe(name)
  })

  test.skipIf(!isHere)('keeps what is set, by its key', async () => {
    const cache = await open()

    await cache.set('one', 'a', { ttlSeconds: 60 })
    await cache.set('two', '', { ttlSeconds: 60 })
    await cache.set('tröt 🎺', 'ünïcode 🎉', { ttlSeconds: 60 })

    expect(await cache.get('one')).toBe('a')
    expect(await cache.get('two')).toBe('')
    expect(await cache.get('tröt 🎺')).toBe('ünïcode 🎉')
    expect(await cache.get('three')).toBeUndefined()
  })

  test.skipIf(!isHere)('replaces what was set before', async () => {
    const cache = await open()

    await cache.set('one', 'a', { ttlSeconds: 60 })
    await cache.set('one', 'b', { ttlSeconds: 60 })

    expect(await cache.get('one')).toBe('b')
  })

  test.skipIf(!isHere)('forgets what is deleted; deleting nothing is no error', async () => {
    const cache = await open()
    await cache.set('one', 'a', { ttlSeconds: 60 })

    await cache.delete('one')
    await cache.delete('one')

    expect(await cache.get('one')).toBeUndefined()
  })

  test.skipIf(!isHere)('forgets what is older than its time', async () => {
    const cache = await open()

    await cache.set('brief', 'a', { ttlSeconds: 1 })
    await cache.set('long', 'b', { ttlSeconds: 60 })

    expect(await cache.get('brief')).toBe('a')
    await eventually(
      () => cache.get('brief'),
      (value) => value === undefined,
    )
    expect(await cache.get('long')).toBe('b')
  })

  test.skipIf(!isHere)('answers a ping', async () => {
    await expect((await open()).ping()).resolves.toBeUndefined()
  })
})

describe('in this process', () => {
  test('a value is there until the moment its time is over', async () => {
    const clock = heldClock()
    const cache = memoryCache({ clock })
    await cache.set('one', 'a', { ttlSeconds: 30 })

    clock.advance(29_999)
    expect(await cache.get('one')).toBe('a')
    clock.advance(1)
    expect(await cache.get('one')).toBeUndefined()
  })

  test('setting again begins the time anew', async () => {
    const clock = heldClock()
    const cache = memoryCache({ clock })
    await cache.set('one', 'a', { ttlSeconds: 30 })
    clock.advance(20_000)
    await cache.set('one', 'b', { ttlSeconds: 30 })
    clock.advance(20_000)

    expect(await cache.get('one')).toBe('b')
  })

  test('whoever makes up keys pushes out the oldest, and never fills the memory', async () => {
    const cache = memoryCache({ clock: heldClock() })
    await cache.set('first', 'a', { ttlSeconds: 60 })
    await cache.set('refreshed', 'a', { ttlSeconds: 60 })
    for (let count = 0; count < 9_998; count += 1) await cache.set(`made up ${count}`, 'x', { ttlSeconds: 60 })
    expect(await cache.get('first')).toBe('a')

    await cache.set('refreshed', 'b', { ttlSeconds: 60 })
    await cache.set('one more', 'x', { ttlSeconds: 60 })

    expect(await cache.get('first')).toBeUndefined()
    expect(await cache.get('refreshed')).toBe('b')
    expect(await cache.get('one more')).toBe('x')
  })
})

describe.skipIf(redisProgram === undefined)('in Redis', () => {
  test('what one host sets another reads, and a host that is closed leaves it there', async () => {
    const redis = await startRedisServer()
    const here = await connected(redis.url)
    const there = await connected(redis.url)

    await here.set('one', 'a', { ttlSeconds: 60 })
    await here.close()

    expect(await there.get('one')).toBe('a')
  })

  test.each(['unix', 'tcp'] as const)('it is reached over %s', async (over) => {
    const redis = await startRedisServer({ over, ...(over === 'tcp' && { password: 'p@ss/word' }) })

    await expect((await connected(redis.url)).ping()).resolves.toBeUndefined()
  })

  test('a database number in the URL of a socket counts', async () => {
    const redis = await startRedisServer()
    const zero = await connected(redis.url)
    const two = await connected(`${redis.url}?db=2`)

    await zero.set('one', 'a', { ttlSeconds: 60 })

    expect(await two.get('one')).toBeUndefined()
  })

  test('a Redis that is away fails what is asked at once, and is found again when it is back', async () => {
    const redis = await startRedisServer()
    const cache = await connected(redis.url)
    await redis.stop()

    await eventually(
      () => cache.get('one').then(() => '', String),
      (failure) => failure !== '',
    )
    await expect(cache.set('one', 'a', { ttlSeconds: 60 })).rejects.toThrow()
    await expect(cache.delete('one')).rejects.toThrow()
    await expect(cache.ping()).rejects.toThrow()

    await redis.start()
    await eventually(
      () =>
        cache.ping().then(
          () => true,
          () => false,
        ),
      (isBack) => isBack,
    )
  })

  test('a Redis that takes the call and says nothing is given up on', async () => {
    const redis = await startRedisServer()
    const cache = await connected(redis.url)

    redis.freeze()

    await expect(cache.get('one')).rejects.toThrow('timed out')
    redis.thaw()
  })

  test('an outage is told once in the log, and its end once, without the password', async () => {
    const redis = await startRedisServer({ over: 'tcp', password: 'open-sesame' })
    const { log, lines, records } = recordedLog()
    const cache = await connected(redis.url, log)
    await redis.stop()
    // Long enough for several attempts to connect.
    await eventually(
      async () => records().length,
      (count) => count > 0,
    )
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await redis.start()
    await eventually(
      () =>
        cache.ping().then(
          () => true,
          () => false,
        ),
      (isBack) => isBack,
    )

    expect(records().map(({ msg }) => msg)).toEqual([
      'Redis does not answer; trying until it does',
      'Redis answers again',
    ])
    expect(lines().join()).not.toContain('open-sesame')
  })

  test('a wrong password is told in the log without being repeated', async () => {
    const redis = await startRedisServer({ over: 'tcp', password: 'open-sesame' })
    const { log, lines } = recordedLog()
    const client = openRedis(redis.url.replace('open-sesame', 'close-sesame'), log)
    onTestFinished(() => client.disconnect())

    await eventually(
      async () => lines().join(),
      (text) => text.includes('WRONGPASS'),
    )
    expect(lines().join()).not.toContain('sesame')
  })
})

test.each(['unix://run/redis.sock', 'unix:///', 'unix://'])('the socket URL %s is refused in a sentence', (url) => {
  expect(() => openRedis(url, silentLog)).toThrow(StartupError)
  expect(() => openRedis(url, silentLog)).toThrow('as in unix:///run/redis.sock')
})

test('without a cache nothing is kept, and nothing fails', async () => {
  const cache = noCache()

  await cache.set('one', 'a', { ttlSeconds: 60 })

  expect(await cache.get('one')).toBeUndefined()
  expect(cache.store).toBe('none')
  await cache.delete('one')
  await cache.ping()
  await cache.close()
})

/** A cache on a connection that is up. */
async function connected(url: string, log = silentLog): Promise<Cache> {
  const redis = openRedis(url, log)
  const cache = redisCache(redis)
  onTestFinished(() => cache.close())
  await eventually(
    async () => redis.status,
    (status) => status === 'ready',
  )
  return cache
}

function heldClock(): { now(): Date; advance(ms: number): void } {
  let time = Date.parse('2026-01-01T00:00:00Z')
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms
    },
  }
}
