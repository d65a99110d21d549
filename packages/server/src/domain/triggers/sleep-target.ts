import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { sleepUntilWoken } from '../lifecycle/lifecycle.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'

/** A session that a one-time condition is to wake sleeps until then: at once, or when its turn ends. */
export async function sleepTarget(
  app: App,
  tx: Transaction,
  { reuse_session, last_session_id: id }: TriggerRow,
  conditions: readonly ConditionRow[],
): Promise<void> {
  if (!reuse_session || id === null || !conditions.some(({ is_one_shot }) => is_one_shot)) return
  const session = await lockSessionIfThere(tx, { id })
  if (session) await sleepUntilWoken(app, tx, session)
}
