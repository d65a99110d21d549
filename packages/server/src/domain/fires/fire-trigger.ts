import type { Transaction } from '../../platform/db/database.ts'
import { isOutage } from '../../platform/db/outage.ts'
import { transact } from '../../platform/db/transact.ts'
import { inWork } from '../../platform/log/work-context.ts'
import { inSpan } from '../../platform/tracing/in-span.ts'
import type { Span } from '../../platform/tracing/tracing.ts'
import type { App } from '../app.ts'
import { deliverPrompt } from '../conversation/conversation.ts'
import { recordHumanMessage } from '../hierarchy/hierarchy.ts'
import { unarchiveSession } from '../lifecycle/lifecycle.ts'
import { acknowledge } from '../notifications/notification.ts'
import { findSession, lockSessionIfThere } from '../sessions/session.ts'
import {
  type ConditionRow,
  isReusable,
  isWake,
  lockTrigger,
  lockTriggerIfFree,
  selectConditionsAndNow,
  selectConditionsOf,
  selectTargets,
  selectTrigger,
  type TriggerRow,
  windowOf,
} from '../triggers/trigger.ts'
import { type FireResult, hasFired, type TriggerEvent } from './event.ts'
import { recordFailedFire } from './failed-fire.ts'
import { selectAnchor, selectClaimed } from './fire-store.ts'
import type { Decision, Firing, SpawnPlan } from './firing.ts'
import { asTarget, followUpOrSpawn } from './follow-up-target.ts'
import { listEvents, timezoneOf, writePrompt } from './prompt.ts'
import { settle } from './settle.ts'
import { PlanNeeded, planSpawn } from './spawn.ts'

/**
 * Fires a trigger: claims the event, starts or follows up the session, and moves every counter in one transaction. A fire
 * that raises is recorded in the history; only an outage of the database is thrown.
 */
export async function fireTrigger(
  app: App,
  triggerId: number,
  event: TriggerEvent,
  folded: readonly TriggerEvent[] = [],
): Promise<FireResult> {
  return inFire(app, triggerId, event, async () => {
    try {
      return await attemptFire(app, triggerId, [event, ...folded])
    } catch (error) {
      if (isOutage(error)) throw error
      return recordFailedFire(app, triggerId, event, error)
    }
  })
}

/** What every fire has, however it begins: the trigger in its log lines, a span, and its outcome in the metrics. */
export async function inFire<Result extends FireResult>(
  { metrics, tracing }: App,
  triggerId: number,
  { by }: TriggerEvent,
  fire: () => Promise<Result>,
): Promise<Result> {
  const attributes = { 'yardmaster.trigger.id': triggerId, 'yardmaster.fire.by': by }
  const counted = async (span: Span): Promise<Result> => {
    try {
      const result = await fire()
      span.set({ 'yardmaster.fire.outcome': result.outcome })
      if (result.outcome !== 'inactive' && result.outcome !== 'duplicate')
        metrics.fires.inc({ by, outcome: result.outcome })
      return result
    } catch (error) {
      if (!isOutage(error)) metrics.fires.inc({ by, outcome: 'failed' })
      throw error
    }
  }
  return inWork({ trigger_id: triggerId }, () => inSpan(tracing, { name: 'fire', attributes }, counted))
}

export type AttemptResult = FireResult &
  Pick<Decision, 'isTargetUnusable' | 'session'> & {
    /** The trigger after the fire, unless that deleted it. */
    fired?: { row: TriggerRow; conditions: readonly ConditionRow[] }
  }

type Events = readonly [TriggerEvent, ...TriggerEvent[]]

/** As `fireTrigger`, and throws what goes wrong. */
export async function attemptFire(app: App, triggerId: number, events: Events): Promise<AttemptResult> {
  const [event] = events
  const trigger = await selectTrigger(app.db, triggerId)
  if (!trigger || !isActive(trigger, event)) return inactive
  const isInvoked = event.by === 'invoke'
  const isFollowUp = trigger.reuse_session && (await prepareFollowUp(app, trigger, event))
  let plan: SpawnPlan | undefined = isFollowUp ? undefined : await planSpawn(app, trigger, { isInvoked })
  for (;;) {
    try {
      return await transact(app.db, (tx) => fireLocked(app, tx, triggerId, events, plan))
    } catch (error) {
      if (!(error instanceof PlanNeeded)) throw error
      plan = await planSpawn(app, trigger, { isInvoked })
    }
  }
}

const inactive = { outcome: 'inactive', sessionId: null, reason: null } as const satisfies FireResult
const duplicate = { outcome: 'duplicate', sessionId: null, reason: null } as const satisfies FireResult

/** An invoke fires whatever the status says. */
function isActive({ status }: TriggerRow, { by }: TriggerEvent): boolean {
  return by === 'invoke' || status === 'enabled'
}

/** Restores the session to follow up if it is archived. False if a session has to be spawned instead. */
async function prepareFollowUp(app: App, trigger: TriggerRow, { key }: TriggerEvent): Promise<boolean> {
  const claimed = await selectClaimed(app.db, trigger.id, [key])
  if (claimed.size === 0) await restoreTarget(app, trigger)
  return isWake(trigger, await selectConditionsOf(app.db, [trigger.id])) || hasReusableTarget(app, trigger)
}

async function hasReusableTarget(app: App, { reuse_session, last_session_id: id }: TriggerRow): Promise<boolean> {
  const target = reuse_session && id !== null ? (await selectTargets(app.db, [id])).get(id) : undefined
  return target !== undefined && isReusable(target)
}

/**
 * Restores an archived session from the archive before the transaction: it may take a while, and doing it twice is
 * harmless. One that never started is left alone: following it up would run its own old prompt.
 */
async function restoreTarget(app: App, trigger: TriggerRow): Promise<void> {
  const { last_session_id: id } = trigger
  if (!trigger.resuscitate_archived || id === null) return
  const target = (await selectTargets(app.db, [id])).get(id)
  if (target?.status !== 'archived') return
  const session = await findSession(app.db, { id })
  if (session.session_id !== null) await unarchiveSession(app, { id })
}

async function fireLocked(
  app: App,
  tx: Transaction,
  triggerId: number,
  given: Events,
  plan: SpawnPlan | undefined,
): Promise<AttemptResult> {
  const isScheduled = given[0].scheduledFor !== undefined
  // Another host fires a schedule that is due on both.
  const trigger = await (isScheduled ? lockTriggerIfFree : lockTrigger)(tx, triggerId)
  if (!trigger || !isActive(trigger, given[0])) return inactive
  const isInvoked = given[0].by === 'invoke'
  const keys = given.map(({ key }) => key)
  // The key of an invoke is its own.
  const claimed = isInvoked ? new Set() : await selectClaimed(tx, triggerId, keys)
  const [event, ...folded] = given.filter(({ key }, index) => !claimed.has(key) && keys.indexOf(key) === index)
  if (!event) return duplicate
  const { conditions, now } = await selectConditionsAndNow(tx, triggerId)
  const condition = conditions.find(({ id }) => id === event.conditionId)
  if (!isInvoked && !isStillDue(condition, event)) return inactive
  const timezone = timezoneOf(condition)
  const events: Events = [event, ...folded]
  const prompt = writePrompt(trigger, events, { now, timezone })
  const firing: Firing = { app, tx, trigger, conditions, condition, events, prompt, timezone, plan, now }
  const decision = (await foldIntoGroup(firing)) ?? (await followUpOrSpawn(firing))
  await recordHumans(firing, decision)
  const row = await settle(firing, decision)
  const { changes: _, ...outcome } = decision
  return { ...outcome, ...(row && { fired: { row, conditions } }) }
}

/** The condition may have been deleted, retimed or used up since the event was seen. */
function isStillDue(condition: ConditionRow | undefined, { scheduledFor }: TriggerEvent): boolean {
  if (!condition || (condition.is_one_shot && condition.last_triggered_at !== null)) return false
  return scheduledFor === undefined || condition.next_run_at?.getTime() === scheduledFor.getTime()
}

/** A message of a conversation that has just fired the trigger goes to the session of that fire, as a note. */
async function foldIntoGroup(firing: Firing): Promise<Decision | undefined> {
  const { app, tx, trigger, events, timezone } = firing
  const [{ conversation, occurredAt }] = events
  const windowSeconds = windowOf(trigger)
  if (conversation === undefined || windowSeconds === 0) return undefined
  const anchor = await selectAnchor(tx, trigger.id, { conversation, occurredAt, windowSeconds })
  const session = anchor?.session_id ? await lockSessionIfThere(tx, { id: anchor.session_id }) : undefined
  if (!session || !isReusable(asTarget(session))) return undefined
  const note = { prompt: listEvents(events, { timezone }), goal: null, isImmediate: false, source: 'trigger' as const }
  await deliverPrompt(app, tx, { id: session.id }, { ...note, triggerId: trigger.id })
  const reason = `Folded into the conversation that started session ${session.id}.`
  return { outcome: 'coalesced', sessionId: session.id, reason }
}

async function recordHumans({ app, tx, events }: Firing, { outcome, sessionId }: Decision): Promise<void> {
  if (!hasFired({ outcome }) || sessionId === null) return
  // A new session has said nothing to people yet.
  if (outcome !== 'spawned' && events.some(({ human }) => human)) await acknowledge(app, tx, sessionId)
  for (const { human, occurredAt } of events) {
    if (!human) continue
    const { chatUserId, isDirect, roomName, content } = human
    await recordHumanMessage(tx, {
      sessionId,
      author: { chatUserId },
      channel: 'chat',
      ...(roomName !== undefined && { roomName }),
      entryPoint: isDirect ? 'chat.dm' : 'chat.channel_message',
      content,
      occurredAt,
    })
  }
}
