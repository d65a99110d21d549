import { wakeAdmission } from '../inbox/inbox.ts'
import {
  deleteTriggers,
  type FireChanges,
  isOneTime,
  nextRunAfter,
  recordFire,
  selectSiblingWakes,
  type TriggerRow,
  updateTiming,
} from '../triggers/trigger.ts'
import { hasFired } from './event.ts'
import { insertClaims, insertFire } from './fire-store.ts'
import type { Decision, Firing } from './firing.ts'
import { updateUnresolved } from './resolve-catalog.ts'

/**
 * Writes what a fire leaves: claims, counters, the next slot and the history. Returns the trigger, unless it fires once and is
 * deleted.
 */
export async function settle(firing: Firing, decision: Decision): Promise<TriggerRow | undefined> {
  const { tx, trigger, events, condition } = firing
  const [event] = events
  const isFired = hasFired(decision)
  if (isFired && event.by !== 'invoke' && isOneTime(firing.conditions)) {
    await retire(firing, decision)
    return undefined
  }
  const row = await recordFire(tx, trigger.id, {
    ...catalogChanges(firing),
    ...decision.changes,
    ...firedChanges(firing, isFired),
  })
  const isSpent = isFired || (event.ifNotFired === 'lost' && !staysDue(firing, decision))
  if (event.by !== 'invoke' && isSpent) await claim(firing, decision)
  await moveCondition(firing, decision)
  await insertFire(tx, {
    trigger_id: trigger.id,
    condition_id: condition?.id ?? null,
    fired_by: event.by,
    event_key: event.key,
    outcome: decision.outcome,
    session_id: decision.sessionId,
    reason: describe(firing, decision),
    scheduled_for: event.scheduledFor ?? null,
  })
  return row
}

/** The trigger and, if it woke a session, the other wakes of that session. */
async function retire({ tx, trigger }: Firing, { sessionId }: Decision): Promise<void> {
  const siblings =
    trigger.reuse_session && sessionId !== null ? await selectSiblingWakes(tx, sessionId, trigger.id) : []
  await deleteTriggers(tx, [trigger.id, ...siblings])
  // A first turn that waited for the wake may start now.
  if (trigger.reuse_session && sessionId !== null) await wakeAdmission(tx, sessionId)
}

function firedChanges({ now }: Firing, isFired: boolean): FireChanges {
  return isFired ? { last_triggered_at: now, failed_attempts: 0 } : {}
}

function catalogChanges({ app, trigger, now }: Firing): FireChanges {
  const unresolved = JSON.stringify(updateUnresolved(app, trigger, now))
  return unresolved === JSON.stringify(trigger.unresolved_references) ? {} : { unresolved_references: unresolved }
}

async function claim({ tx, trigger, events }: Firing, { outcome, sessionId }: Decision): Promise<void> {
  const startsGroup = outcome === 'spawned' || outcome === 'delivered' || outcome === 'queued'
  await insertClaims(
    tx,
    events.map(({ key, conversation, occurredAt }, index) => ({
      trigger_id: trigger.id,
      event_key: key,
      conversation: conversation ?? null,
      occurred_at: occurredAt,
      session_id: sessionId,
      is_anchor: index === 0 && startsGroup && conversation !== undefined,
    })),
  )
}

/** A schedule or a one-time condition that a burst suppresses fires when the burst is over. */
function staysDue({ condition }: Firing, { outcome }: Decision): boolean {
  return outcome === 'suppressed' && (condition?.condition_type === 'schedule' || condition?.is_one_shot === true)
}

/** Any fire but a suppressed one uses up its slot, or the condition if that fires once. */
async function moveCondition({ tx, condition, events: [event], now }: Firing, decision: Decision): Promise<void> {
  if (!condition || event.by === 'invoke') return
  const isFired = hasFired(decision)
  if (decision.outcome === 'suppressed') {
    const endsAt = decision.changes?.burst_ends_at
    const until = endsAt instanceof Date ? endsAt : now
    if (condition.condition_type === 'schedule') await updateTiming(tx, condition.id, { next_run_at: until })
    else if (condition.is_one_shot) await event.retryLater?.(tx, until.getTime() - now.getTime())
    return
  }
  await updateTiming(tx, condition.id, {
    next_run_at: nextRunAfter(condition, now),
    ...((isFired || condition.is_one_shot) && { last_triggered_at: now }),
  })
}

const lateMs = 30_000

/** A schedule that no host was there to fire says so. */
function describe({ events: [event], now }: Firing, { reason, outcome }: Decision): string | null {
  const { scheduledFor } = event
  const late = scheduledFor ? now.getTime() - scheduledFor.getTime() : 0
  if (late < lateMs || outcome === 'suppressed') return reason
  const seconds = Math.round(late / 1000)
  const sentence = `Late by ${seconds} s: no host was there to fire it at its time. Slots missed meanwhile are not made up.`
  return reason === null ? sentence : `${reason} ${sentence}`
}
