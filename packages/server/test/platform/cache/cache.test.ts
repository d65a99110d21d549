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
  test.skipIf(!isHere)('a cache store names itself', async () => {
    expect((await open()).store).toBe(name)
  })

  test.skipIf(!isHere)('a cache store returns a value by its key', async () => {
    const cache = await open()

    await cache.set('one', 'a', { ttlSeconds: 60 })
    await cache.set('two', '', { ttlSeconds: 60 })
    await cache.set('tröt 🎺', 'ünïcode 🎉', { ttlSeconds: 60 })

    expect(await cache.get('one')).toBe('a')
    expect(await cache.get('two')).toBe('')
    expect(await cache.get('tröt 🎺')).toBe('ünïcode 🎉')
    expect(await cache.get('three')).toBeUndefined()
  })

  test.skipIf(!isHere)('a cache store overwrites an earlier value', async () => {
    const cache = await open()

    await cache.set('one', 'a', { ttlSeconds: 60 })
    await cache.set('one', 'b', { ttlSeconds: 60 })

    expect(await cache.get('one')).toBe('b')
  })

  test.skipIf(!isHere)('a cache store adds a value for one of several callers, and again when it is gone', async () => {
    const cache = await open()
    const add = () => Promise.all(['a', 'b', 'c'].map((value) => cache.add('one', value, { ttlSeconds: 60 })))

    expect((await add()).filter(Boolean)).toHaveLength(1)
    expect((await add()).filter(Boolean)).toHaveLength(0)
    await cache.delete('one')
    expect((await add()).filter(Boolean)).toHaveLength(1)
  })

  test.skipIf(!isHere)('a cache store deletes a value; deleting a missing key is no error', async () => {
    const cache = await open()
    await cache.set('one', 'a', { ttlSeconds: 60 })

    await cache.delete('one')
    await cache.delete('one')

    expect(await cache.get('one')).toBeUndefined()
  })

  test.skipIf(!isHere)('a cache store expires a value after its TTL', async () => {
    const cache = await open()

    // In one moment: on a busy machine a second passes between two commands that wait for each other.
    const [, , value] = await Promise.all([
      cache.set('brief', 'a', { ttlSeconds: 1 }),
      cache.set('long', 'b', { ttlSeconds: 60 }),
      cache.get('brief'),
    ])
    expect(value).toBe('a')
    await eventually(
      () => cache.get('brief'),
      (value) => value === undefined,
    )
    expect(await cache.get('long')).toBe('b')
  })

  test.skipIf(!isHere)('a cache store answers a ping', async () => {
    await expect((await open()).ping()).resolves.toBeUndefined()
  })
})

describe('the in-process cache', () => {
  test('a value is available until its TTL ends', async () => {
    const clock = heldClock()
    const cache = memoryCache({ clock })
    await cache.set('one', 'a', { ttlSeconds: 30 })

    clock.advance(29_999)
    expect(await cache.get('one')).toBe('a')
    clock.advance(1)
    expect(await cache.get('one')).toBeUndefined()
  })

  test('a value does not outlive its TTL when the clock goes back', async () => {
    const clock = heldClock()
    const cache = memoryCache({ clock })
    await cache.set('one', 'a', { ttlSeconds: 30 })
    clock.advance(-1000)
    expect(await cache.get('one')).toBe('a')
    clock.advance(-3_600_000)
    expect(await cache.get('one')).toBeUndefined()
  })

  test('setting a value again restarts its TTL', async () => {
    const clock = heldClock()
    const cache = memoryCache({ clock })
    await cache.set('one', 'a', { ttlSeconds: 30 })
    clock.advance(20_000)
    await cache.set('one', 'b', { ttlSeconds: 30 })
    clock.advance(20_000)

    expect(await cache.get('one')).toBe('b')
  })

  test('the in-process cache evicts the oldest entry beyond the limit, so that invented keys cannot fill the memory', async () => {
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

describe.skipIf(redisProgram === undefined)('the Redis cache', () => {
  test('a value set by one host is read by another, and stays when the first closes', async () => {
    const redis = await startRedisServer()
    const here = await connected(redis.url)
    const there = await connected(redis.url)

    await here.set('one', 'a', { ttlSeconds: 60 })
    await here.close()

    expect(await there.get('one')).toBe('a')
  })

  test.each(['unix', 'tcp'] as const)('the Redis cache connects over %s', async (over) => {
    const redis = await startRedisServer({ over, ...(over === 'tcp' && { password: 'p@ss/word' }) })

    await expect((await connected(redis.url)).ping()).resolves.toBeUndefined()
  })

  test('a database number in a socket URL is used', async () => {
    const redis = await startRedisServer()
    const zero = await connected(redis.url)
    const two = await connected(`${redis.url}?db=2`)

    await zero.set('one', 'a', { ttlSeconds: 60 })

    expect(await two.get('one')).toBeUndefined()
  })

  test('commands fail at once while Redis is unavailable, and work again afterwards', async () => {
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

  test('a command to a Redis that never answers times out', async () => {
    const redis = await startRedisServer()
    const cache = await connected(redis.url)

    redis.freeze()

    await expect(cache.get('one')).rejects.toThrow('timed out')
    redis.thaw()
  })

  test('an outage is logged once, and its end once, without the password', async () => {
    const redis = await startRedisServer({ over: 'tcp', password: 'open-sesame' })
    const { log, lines, records } = recordedLog()
    const cache = await connected(redis.url, log)
    await redis.stop()
    // Long enough for several connection attempts.
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

    expect(records().map(({ msg }) => msg)).toEqual(['Redis is unavailable; reconnecting', 'Redis is available again'])
    expect(lines().join()).not.toContain('open-sesame')
  })

  test('a wrong password is logged without the password', async () => {
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

test.each(['unix://run/redis.sock', 'unix:///', 'unix://'])('the socket URL %s is rejected with an example', (url) => {
  expect(() => openRedis(url, silentLog)).toThrow(StartupError)
  expect(() => openRedis(url, silentLog)).toThrow('as in unix:///run/redis.sock')
})

test('without a cache no value is stored and no call fails', async () => {
  const cache = noCache()

  await cache.set('one', 'a', { ttlSeconds: 60 })

  expect(await cache.get('one')).toBeUndefined()
  expect(cache.store).toBe('none')
  await cache.delete('one')
  await cache.ping()
  await cache.close()
})

/** A cache on a connection that is ready. */
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
