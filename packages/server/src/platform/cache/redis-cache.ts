import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../log/log.ts'
import { StartupError } from '../startup-error.ts'
import type { Cache } from './cache.ts'

const prefix = 'yardmaster:cache:'

/** A command fails fast while Redis is unavailable, so that a request never waits for it. The client reconnects on its own. */
const connectionOptions: RedisOptions = {
  lazyConnect: false,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  connectTimeout: 2000,
  commandTimeout: 2000,
  retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
}

export function openRedis(url: string, log: Log): Redis {
  const redis = new Redis(locationOf(url), connectionOptions)
  let isUnavailable = false
  redis.on('error', (error: Error) => {
    if (!isUnavailable) log.warn({ reason: error.message }, 'Redis is unavailable; reconnecting')
    isUnavailable = true
  })
  redis.on('ready', () => {
    if (isUnavailable) log.info('Redis is available again')
    isUnavailable = false
  })
  return redis
}

export function redisCache(redis: Redis): Cache {
  return {
    store: 'redis',
    get: async (key) => (await redis.get(prefix + key)) ?? undefined,
    set: async (key, value, { ttlSeconds }) => {
      await redis.set(prefix + key, value, 'EX', ttlSeconds)
    },
    add: async (key, value, { ttlSeconds }) => (await redis.set(prefix + key, value, 'EX', ttlSeconds, 'NX')) === 'OK',
    delete: async (key) => {
      await redis.del(prefix + key)
    },
    ping: async () => {
      await redis.ping()
    },
    close: async () => redis.disconnect(),
  }
}

/** The client accepts a Unix socket only as a plain path. */
function locationOf(url: string): string {
  if (!url.startsWith('unix:')) return url
  const { host, pathname, search } = new URL(url)
  if (host !== '' || pathname === '/' || pathname === '')
    throw new StartupError('A Redis socket needs its absolute path, as in unix:///run/redis.sock.')
  return decodeURIComponent(pathname) + search
}
