import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { backlogChanged } from './events.ts'
import { rerank } from './rank.ts'
import { lockQueue } from './rank-store.ts'

/**
 * Changes the queue in one transaction, under the one lock, and puts every item into its band. What is answered is read after
 * that. Callers of this host wait for
 * each other before they take a connection: a crowd of them must not use up the pool while one writes.
 */
export function changeQueue<Changed, Answer>(
  app: App,
  change: (tx: Transaction) => Promise<Changed>,
  show: (tx: Transaction, changed: Changed) => Promise<Answer>,
): Promise<Answer> {
  return app.backlog.inTurn(() =>
    transact(app.db, async (tx) => {
      await lockQueue(tx)
      const changed = await change(tx)
      await rerank(tx)
      await app.events.publish(tx, backlogChanged, { payload: {} })
      return show(tx, changed)
    }),
  )
}
