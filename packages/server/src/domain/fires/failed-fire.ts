import { transact } from '../../platform/db/transact.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { lockSessionIfThere } from '../sessions/session.ts'
import {
  lockTrigger,
  nextRunAfter,
  parkTrigger,
  recordFire,
  selectConditionsOf,
  selectNow,
  updateTiming,
} from '../triggers/trigger.ts'
import type { FireResult, TriggerEvent } from './event.ts'
import { insertFire } from './fire-store.ts'

/** The pauses before a one-time fire is tried again. After the last attempt the trigger is parked as failed. */
const retryDelaysMs = [10_000, 60_000, 300_000]
const maxReason = 1000

/**
 * Records a fire that raised. The event stays unclaimed. A one-time condition is retried, then its trigger is parked; a
 * recurring schedule goes on with its next slot.
 */
export async function recordFailedFire(
  app: App,
  triggerId: number,
  event: TriggerEvent,
  error: unknown,
): Promise<FireResult> {
  const text = error instanceof Error ? error.message : String(error)
  const reason = truncate(await app.redactor.text(text), maxReason)
  app.log.warn({ event: event.key, reason }, 'a trigger failed to fire')
  await transact(app.db, async (tx) => {
    const trigger = await lockTrigger(tx, triggerId)
    if (!trigger) return
    const now = await selectNow(tx)
    const condition = (await selectConditionsOf(tx, [triggerId])).find(({ id }) => id === event.conditionId)
    await insertFire(tx, {
      trigger_id: triggerId,
      condition_id: condition?.id ?? null,
      fired_by: event.by,
      event_key: event.key,
      outcome: 'failed',
      session_id: null,
      reason,
      scheduled_for: event.scheduledFor ?? null,
    })
    if (!condition || event.by === 'invoke' || trigger.status !== 'enabled') return
    if (!condition.is_one_shot) {
      await updateTiming(tx, condition.id, { next_run_at: nextRunAfter(condition, now) })
      return
    }
    const delayMs = retryDelaysMs[trigger.failed_attempts]
    if (delayMs !== undefined) {
      await recordFire(tx, triggerId, { failed_attempts: trigger.failed_attempts + 1 })
      const next_run_at = new Date(now.getTime() + delayMs)
      if (condition.condition_type === 'schedule') await updateTiming(tx, condition.id, { next_run_at })
      else await event.retryLater?.(tx, delayMs)
      return
    }
    await parkTrigger(tx, triggerId, now, reason)
    const target = trigger.reuse_session && trigger.last_session_id
    if (target && (await lockSessionIfThere(tx, { id: target })))
      await note(
        app,
        tx,
        target,
        `The wake ${triggerId} (${trigger.name}) failed and will not fire: ${reason}`,
        'error',
      )
  })
  return { outcome: 'failed', sessionId: null, reason }
}
