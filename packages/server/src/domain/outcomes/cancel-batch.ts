import type { AnalysisBatch } from '@yardmaster/contract/outcomes/fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { archiveLocked } from '../lifecycle/lifecycle.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import { showBatch } from './batch.ts'
import { cancelQueuedItems, type ItemRow, lockBatch, lockItem, selectItems, updateItem } from './batch-store.ts'
import { outcomeAnalysesChanged } from './events.ts'

/** Ends what is left of a batch and archives the analyzers that work on it. What was saved stays. */
export async function cancelBatch(app: App, id: number): Promise<AnalysisBatch> {
  // With the batch locked no item starts, so after this each open item is a running one.
  await transact(app.db, async (tx) => {
    await lockBatch(tx, id)
    const cancelled = await cancelQueuedItems(tx, id, app.clock.now())
    if (cancelled > 0) await app.events.publish(tx, outcomeAnalysesChanged, { payload: {} })
  })
  const items = await selectItems(app.db, id)
  for (const item of items) if (item.state === 'running') await cancelRunning(app, item)
  return showBatch(app, id)
}

/** The analyzer is locked before its item, as everywhere. An item that was saved meanwhile stays saved. */
async function cancelRunning(app: App, { id, analyzer_session_id: analyzerId }: ItemRow): Promise<void> {
  await transact(app.db, async (tx) => {
    const analyzer = analyzerId === null ? undefined : await lockSessionIfThere(tx, { id: analyzerId })
    if (!(await lockItem(tx, id, 'running'))) return
    await updateItem(tx, id, { state: 'cancelled', ended_at: app.clock.now() })
    await app.events.publish(tx, outcomeAnalysesChanged, { payload: {} })
    if (analyzer && analyzer.status !== 'archived') await archiveLocked(app, tx, analyzer, { force: true })
  })
}
