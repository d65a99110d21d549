import { queueChanged } from '@yardmaster/contract/inbox/events'
import type { Transaction } from '../../platform/db/database.ts'
import { gather } from '../../platform/db/transact.ts'
import { publish } from '../../platform/events/publish.ts'

/** One event a transaction, with the number of messages that it leaves. Every write of a queue calls this. */
export function noteQueueChange(tx: Transaction, sessionId: number): void {
  gather(
    tx,
    `${queueChanged.name}:${sessionId}`,
    () => undefined,
    async () => publish(tx, queueChanged, { sessionId, payload: { pending: await countPending(tx, sessionId) } }),
  )
}

async function countPending(tx: Transaction, sessionId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('enqueued_messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return count
}
