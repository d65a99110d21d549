import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../log/log.ts'
import { StartupError } from '../startup-error.ts'
import type { Cache } from './cache.ts'

const prefix = 'yardmaster:cache:'

/** A command fails fast when Redis is away, so that a request never waits for it; the connection mends itself. */
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
  let isAway = false
  redis.on('error', (error: Error) => {
    if (!isAway) log.warn({ reason: error.message }, 'Redis does not answer; trying until it does')
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) log.info('Redis answers again')
    isAway = false
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
    delete: async (key) => {
      await redis.del(prefix + key)
    },
    ping: async () => {
      await redis.ping()
    },
    close: async () => redis.disconnect(),
  }
}

/** The driver takes a socket only as a bare path. */
function locationOf(url: string): string {
  if (!url.startsWith('unix:')) return url
  const { host, pathname, search } = new URL(url)
  if (host !== '' || pathname === '/' || pathname === '')
    throw new StartupError('A Redis socket is named by its whole path, as in unix:///run/redis.sock.')
  return decodeURIComponent(pathname) + search
}
