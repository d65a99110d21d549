import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../../src/platform/db/database.ts'
import { pauseQueue } from '../../../src/platform/jobs/pauses.ts'
import type { QueueName } from '../../../src/platform/jobs/queues.ts'
import { pauseBindsAfterMs } from '../../../src/platform/jobs/watch-pauses.ts'

/** Pauses a queue, and returns when every host knows it: until then a host may start work of the queue. */
export async function stopQueue(db: Database, queue: QueueName): Promise<void> {
  await pauseQueue(db, queue, 'a test')
  await wait(pauseBindsAfterMs)
}
