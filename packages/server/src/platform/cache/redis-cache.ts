import { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'
import type { Cache } from './cache.ts'

const prefix = 'yardmaster:cache:'

/** A command fails fast when Redis is away, so that a request never waits for it; the connection mends itself. */
export function openRedis(url: string, log: Log): Redis {
  const redis = new Redis(url, {
    lazyConnect: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2000,
    commandTimeout: 2000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  })
  redis.on('error', (error: Error) => log.warn({ reason: error.message }, 'Redis does not answer; connecting again'))
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
