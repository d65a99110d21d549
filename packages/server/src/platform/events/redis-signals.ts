import type { Redis } from 'ioredis'
import type { Log } from '../log/log.ts'
import { listeners, type Signals } from './signals.ts'

const channel = 'yardmaster:signals'

/** Redis pub/sub, for databases behind a pooler that does not carry LISTEN. */
export async function openRedisSignals({ redis, log }: { redis: Redis; log: Log }): Promise<Signals> {
  const heard = listeners()
  const subscriber = redis.duplicate({ lazyConnect: true, maxRetriesPerRequest: null })
  subscriber.on('error', (error: Error) =>
    log.warn({ reason: error.message }, 'the listening Redis connection failed; connecting again'),
  )
  subscriber.on('message', (_channel: string, topic: string) => heard.wake(topic))
  subscriber.on('ready', () => heard.wakeAll())
  // Redis may be away at start: the subscription is made when it comes, and until then each host hears only itself.
  subscriber.connect().catch(() => undefined)
  subscriber.subscribe(channel).catch(() => undefined)
  return {
    announce: async (topic) => {
      await redis.publish(channel, topic).catch((error: Error) => {
        log.warn({ reason: error.message }, 'an announcement did not reach Redis')
        heard.wake(topic)
      })
    },
    listen: (topic, onHeard) => heard.add(topic, onHeard),
    close: async () => {
      subscriber.disconnect()
    },
  }
}
