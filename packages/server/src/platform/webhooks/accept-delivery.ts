import type { Batcher } from '../concurrency/batcher.ts'
import type { Database, Transaction } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import { enqueueAll } from '../jobs/enqueue.ts'
import type { Job } from '../jobs/job.ts'
import { claimDeliveries } from './delivery-store.ts'

/** A delivery and what its job is to do; undefined if there is nothing to do. */
export type Delivery<Payload> = { id: string; payload: Payload | undefined }

type Accepting<Payload> = { source: 'chat' | 'forge'; job: Job<Payload> }

/**
 * Stores a delivery with its job, or returns false if it was accepted before. Deliveries that arrive meanwhile share the next
 * transaction, so a burst is answered as fast as the database commits, however busy the workers are.
 */
export function acceptDelivery<Payload>(
  { db, batcher }: { db: Database; batcher: Batcher },
  accepting: Accepting<Payload>,
  delivery: Delivery<Payload>,
): Promise<boolean> {
  return batcher.submit(`webhook:${accepting.source}`, delivery, (deliveries) =>
    transact(db, (tx) => acceptAll(tx, accepting, deliveries)),
  )
}

async function acceptAll<Payload>(
  tx: Transaction,
  { source, job }: Accepting<Payload>,
  deliveries: readonly Delivery<Payload>[],
): Promise<boolean[]> {
  const fresh = await claimDeliveries(
    tx,
    source,
    deliveries.map(({ id }) => id),
  )
  // Of two with one id in the batch only the first is fresh.
  const accepted = deliveries.map(({ id }) => fresh.delete(id))
  const payloads = deliveries.flatMap(({ payload }, index) => (accepted[index] && payload !== undefined ? payload : []))
  await enqueueAll(tx, job, payloads)
  return accepted
}
