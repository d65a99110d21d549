import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { Configuration, SessionEvent } from '@yardmaster/contract/triggers/conditions'
import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import { armCondition } from './arm.ts'
import { enqueueSessionEvent } from './session-event-job.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'
import { watchedSession } from './write-conditions.ts'

const statusOf: Record<SessionEvent, SessionStatus> = {
  session_needs_input: 'needs_input',
  session_failed: 'failed',
  session_archived: 'archived',
}

type Arming = { conditions: readonly ConditionRow[]; touched: ReadonlySet<number>; now: Date }

/** Arms the conditions of an enabled trigger that are new, changed or enabled again. */
export async function armConditions(
  _app: App,
  tx: Transaction,
  trigger: TriggerRow,
  { conditions, touched, now }: Arming,
): Promise<void> {
  for (const condition of conditions) {
    if (!touched.has(condition.id)) continue
    await armCondition(tx, condition, now)
    await fireIfAlreadySo(tx, trigger, condition)
  }
}

/**
 * A watch on a session that is in the state already fires at once. Under the session's lock: its next change of state
 * either is seen here, or happens when the subscription can see the condition.
 */
async function fireIfAlreadySo(tx: Transaction, trigger: TriggerRow, condition: ConditionRow): Promise<void> {
  const id = watchedSession(condition)
  if (id === undefined || condition.last_triggered_at !== null) return
  const { event_name: event } = condition.configuration as Configuration<'ao_event'> // validated when it was written
  const session = await lockSessionIfThere(tx, { id })
  if (session?.status !== statusOf[event]) return
  await enqueueSessionEvent(tx, {
    triggerId: trigger.id,
    conditionId: condition.id,
    sessionId: id,
    event,
    key: `${event}:${id}:armed`,
    transitionId: null,
  })
}
