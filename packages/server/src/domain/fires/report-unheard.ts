import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { type ConditionRow, lockTrigger } from '../triggers/trigger.ts'
import { insertFire } from './fire-store.ts'

/** Says in the trigger's history that nothing can fire a condition now, and why: its silence looks like a quiet platform. */
export async function reportUnheard(
  app: App,
  { id, trigger_id: triggerId, condition_type: type }: Pick<ConditionRow, 'id' | 'trigger_id' | 'condition_type'>,
  sentence: string,
): Promise<void> {
  const reason = await app.redactor.text(sentence)
  app.log.error({ trigger_id: triggerId, condition: id, reason }, 'a condition hears nothing')
  await transact(app.db, async (tx) => {
    if (!(await lockTrigger(tx, triggerId))) return
    await insertFire(tx, {
      trigger_id: triggerId,
      condition_id: id,
      fired_by: type,
      event_key: `unheard:${id}`,
      outcome: 'failed',
      session_id: null,
      reason,
      scheduled_for: null,
    })
  })
}
