import type { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'
import { asMessage, listeners, type Signals } from './signals.ts'

const channel = 'yardmaster:signals'

/** Redis pub/sub, for databases behind a pooler that does not carry LISTEN. */
export async function openRedisSignals({ redis, log }: { redis: Redis; log: Log }): Promise<Signals> {
  const topics = listeners()
  const subscriber = redis.duplicate({ autoResubscribe: false })
  subscriber.on('error', () => undefined) // the other connection has the same failure and logs it
  subscriber.on('message', (_channel: string, message: string) => topics.wake(message))
  // After each reconnect the host subscribes again and wakes all listeners, because signals were lost meanwhile. While
  // Redis is unavailable, a host receives only its own signals.
  subscriber.on('ready', () => {
    subscriber.subscribe(channel).then(
      () => topics.wakeAll(),
      (error: Error) => {
        log.warn({ reason: error.message }, 'Redis rejected the subscription; reconnecting')
        subscriber.disconnect(true)
      },
    )
  })
  return {
    announce: async (topic, data) => {
      const message = asMessage(topic, data)
      await redis.publish(channel, message).catch(() => topics.wake(message))
    },
    listen: (topic, onSignal) => topics.add(topic, onSignal),
    close: async () => {
      subscriber.disconnect()
      // Shared with the cache. Disconnecting twice is harmless.
      redis.disconnect()
    },
  }
}
