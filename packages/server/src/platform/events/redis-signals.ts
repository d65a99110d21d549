import type { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'
import { listeners, type Signals } from './signals.ts'

const channel = 'yardmaster:signals'

/** Redis pub/sub, for databases behind a pooler that does not carry LISTEN. */
export async function openRedisSignals({ redis, log }: { redis: Redis; log: Log }): Promise<Signals> {
  const heard = listeners()
  const subscriber = redis.duplicate({ autoResubscribe: false })
  subscriber.on('error', () => undefined) // the other connection meets the same failure, and reports it
  subscriber.on('message', (_channel: string, topic: string) => heard.wake(topic))
  // Redis may be away, now or later: each time it comes, the subscription is made anew, and everybody looks for what
  // was not heard meanwhile. Until then each host hears only itself.
  subscriber.on('ready', () => {
    subscriber.subscribe(channel).then(
      () => heard.wakeAll(),
      (error: Error) => {
        log.warn({ reason: error.message }, 'Redis did not take our subscription; connecting again')
        subscriber.disconnect(true)
      },
    )
  })
  return {
    announce: async (topic) => {
      await redis.publish(channel, topic).catch(() => heard.wake(topic))
    },
    listen: (topic, onHeard) => heard.add(topic, onHeard),
    close: async () => {
      subscriber.disconnect()
      // Shared with the cache, where there is one: whoever closes last finds it closed, and nobody leaves it open.
      redis.disconnect()
    },
  }
}
