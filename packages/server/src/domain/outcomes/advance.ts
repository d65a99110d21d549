import type { RunResult } from '../../platform/jobs/periodic.ts'
import { runForEach } from '../../platform/jobs/run-for-each.ts'
import type { App } from '../app.ts'
import { selectItemsAtRest, selectOpenBatches } from './batch-store.ts'
import { settleItem } from './settle-item.ts'
import { fillBatch } from './start-item.ts'

/** Every step is a transaction that looks at its item again, so two hosts may do this at once. */
export async function advanceAnalyses(app: App): Promise<RunResult> {
  try {
    await runForEach(await selectItemsAtRest(app.db), (id) => settleItem(app, id))
  } finally {
    await runForEach(await selectOpenBatches(app.db), (id) => fillBatch(app, id))
  }
  return 'done'
}
