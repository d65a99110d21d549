import type { ItemRef, Removal, SpawnedSession, WorkBacklogItem } from '@yardmaster/contract/backlog/fields'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { changeQueue } from './change-queue.ts'
import { findItem, showItem } from './find-items.ts'
import { updateItem } from './item-store.ts'
import type { RankedRow } from './item-table.ts'
import { planStart, type Starter, startItems } from './spawn.ts'

/** Places an item by hand. Nothing but another placement moves it until it is unpinned. */
export function pinItem(app: App, ref: ItemRef, precedence: number): Promise<WorkBacklogItem> {
  return changing(app, ref, (tx, { id }) => updateItem(tx, id, { pinned: true, precedence }))
}

/** Returns an item to its band. One whose rank lies in it keeps the rank. */
export function unpinItem(app: App, ref: ItemRef): Promise<WorkBacklogItem> {
  return changing(app, ref, (tx, { id }) => updateItem(tx, id, { pinned: false }))
}

export function removeItem(app: App, ref: ItemRef, { reason, removed_by: by }: Removal): Promise<WorkBacklogItem> {
  return changing(app, ref, (tx, { id }) =>
    updateItem(tx, id, { status: 'removed', removed_by: by ?? 'human', removal_reason: reason }),
  )
}

/** Starts an item in a priority session, wherever it stands in the queue. */
export async function startItemNow(
  app: App,
  ref: ItemRef,
  starter: Starter,
): Promise<{ work_backlog_item: WorkBacklogItem; session: SpawnedSession }> {
  await findQueuedItem(app.db, ref)
  const plan = await planStart(app, starter, 'priority')
  const start = async (tx: Transaction) => {
    const [started] = await startItems(app, tx, [await findQueuedItem(tx, ref)], { plan, starter })
    return started ?? refuse('not_queued', 'The item was not started')
  }
  return changeQueue(app, start, async (tx, { id, session }) => ({
    work_backlog_item: await showItem(tx, { id }),
    session,
  }))
}

function changing(
  app: App,
  ref: ItemRef,
  change: (tx: Transaction, item: RankedRow) => Promise<void>,
): Promise<WorkBacklogItem> {
  return changeQueue(
    app,
    async (tx) => {
      const item = await findQueuedItem(tx, ref)
      await change(tx, item)
      return item
    },
    (tx, { id }) => showItem(tx, { id }),
  )
}

async function findQueuedItem(db: Database | Transaction, ref: ItemRef): Promise<RankedRow> {
  const item = await findItem(db, ref)
  return item.status === 'queued' ? item : refuse('not_queued', `${item.key} is ${item.status}`)
}
