import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { wakeAdmission } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { clearHold, lockSessionIfThere, recordEdit } from '../sessions/session.ts'
import { selectWaitingSessions } from './trigger-store.ts'
import type { TriggerRow } from './trigger-table.ts'

/** Moves the trigger's waiting sessions to its new class. Returns how many moved. */
export async function reclassifyWaiting(app: App, tx: Transaction, trigger: TriggerRow): Promise<number> {
  const { scheduling_class } = trigger
  let moved = 0
  for (const id of await selectWaitingSessions(tx, trigger.id)) {
    const session = await lockSessionIfThere(tx, { id })
    if (session?.status !== 'waiting' || session.scheduling_class === scheduling_class) continue
    await recordEdit(tx, id, { scheduling_class })
    // The next admission decides again whether its turn is held.
    await clearHold(tx, id)
    await wakeAdmission(tx, id)
    const name = scheduling_class ?? 'the class of its origin'
    await note(app, tx, id, `Trigger ${trigger.id} moved the session to ${name}.`)
    moved += 1
  }
  return moved
}
