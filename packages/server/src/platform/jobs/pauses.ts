import type { Database } from '../db/database.ts'
import type { QueueName } from './queues.ts'

declare module '../db/tables.ts' {
  interface Tables {
    paused_queues: { queue: QueueName; reason: string | null }
  }
}

/** The queues that a person paused, with the reasons. */
export function listPauses(db: Database): Promise<{ queue: QueueName; reason: string | null }[]> {
  return db.selectFrom('paused_queues').select(['queue', 'reason']).execute()
}

/** Takes effect on every host within a second. Jobs that run finish; no new job or periodic run starts. */
export async function pauseQueue(db: Database, queue: QueueName, reason: string): Promise<void> {
  await db
    .insertInto('paused_queues')
    .values({ queue, reason })
    .onConflict((conflict) => conflict.column('queue').doUpdateSet({ reason }))
    .execute()
}

export async function resumeQueue(db: Database, queue: QueueName): Promise<void> {
  await db.deleteFrom('paused_queues').where('queue', '=', queue).execute()
}

export async function findPausedQueues(db: Database): Promise<Set<QueueName>> {
  const rows = await db.selectFrom('paused_queues').select('queue').execute()
  return new Set(rows.map(({ queue }) => queue))
}
