import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { haltedQueues, type QueueName } from './queues.ts'

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

/** Those paused by hand and, while recovery mode lasts, those that it halts. Its end needs no writer: time passes. */
export async function findPausedQueues(db: Database): Promise<Set<QueueName>> {
  const { rows } = await sql<{ queue: QueueName }>`
    select queue
    from paused_queues
    union
    select unnest(${haltedQueues}::text[])
    where exists (
      select
      from queue_recovery
      where expires_at > now()
    )
  `.execute(db)
  return new Set(rows.map(({ queue }) => queue))
}
