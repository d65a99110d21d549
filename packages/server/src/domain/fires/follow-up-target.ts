import { limits } from '@yardmaster/contract/limits'
import { isAtMost } from '@yardmaster/contract/text'
import { deliverPrompt } from '../conversation/conversation.ts'
import { extendMessage } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { lockSessionIfThere, readMetadata, recordArtifacts, type SessionRow } from '../sessions/session.ts'
import { artifactLists, isReusable, isWake, type Target } from '../triggers/trigger.ts'
import { type OwnPending, selectOwnPending } from './fire-store.ts'
import type { Decision, Firing } from './firing.ts'
import { resolveLists } from './resolve-catalog.ts'
import { spawn } from './spawn.ts'

/** Follows up the trigger's session if it re-uses one; otherwise spawns. A wake never spawns. */
export async function followUpOrSpawn(firing: Firing): Promise<Decision> {
  const { tx, trigger, conditions } = firing
  const { last_session_id: id } = trigger
  const session = trigger.reuse_session && id !== null ? await lockSessionIfThere(tx, { id }) : undefined
  if (session && isReusable(asTarget(session))) return followUp(firing, session)
  if (!isWake(trigger, conditions)) return spawn(firing)
  const reason = session ? `Session ${session.id} is ${describeUnusable(session)}.` : 'The session no longer exists.'
  return { outcome: 'dropped', sessionId: session?.id ?? null, reason, isTargetUnusable: true }
}

export function asTarget(session: SessionRow): Pick<Target, 'status' | 'is_paused'> {
  return { status: session.status, is_paused: readMetadata(session).paused_by === 'user' }
}

function describeUnusable(session: SessionRow): string {
  return asTarget(session).is_paused ? 'paused by a person' : session.status
}

const landed = { missed_fire_count: 0, first_missed_fire_at: null }

async function followUp(firing: Firing, session: SessionRow): Promise<Decision> {
  const { app, tx, trigger, conditions, prompt } = firing
  const pending = await selectOwnPending(tx, { triggerId: trigger.id, sessionId: session.id })
  if (pending) return coalesce(firing, session, pending)
  const isOnce = isWake(trigger, conditions)
  if (session.status === 'running' && !trigger.enqueue_messages && !isOnce) {
    const reason = `Session ${session.id} is running, and the trigger does not queue its prompt.`
    return { outcome: 'dropped', sessionId: session.id, reason }
  }
  await applyLists(firing, session)
  const { delivery } = await deliverPrompt(
    app,
    tx,
    { id: session.id },
    { prompt, goal: null, isImmediate: false, source: isOnce ? 'wake' : 'trigger', triggerId: trigger.id },
  )
  await note(app, tx, session.id, `Trigger ${trigger.id} (${trigger.name}) sent its prompt.`)
  const outcome = delivery === 'queued' ? 'queued' : 'delivered'
  return { outcome, sessionId: session.id, reason: null, changes: landed }
}

/** The session has not begun the trigger's last prompt. A schedule says the same again; any other event is added to it. */
async function coalesce(firing: Firing, session: SessionRow, pending: OwnPending): Promise<Decision> {
  const { app, tx, trigger, conditions, events, prompt, now } = firing
  const { messageId } = pending
  const isScheduled = events[0].by === 'schedule'
  const reason = `Session ${session.id} has not begun the last prompt of the trigger.`
  const folded: Decision = { outcome: 'coalesced', sessionId: session.id, reason }
  if (!isScheduled) {
    const isAdded =
      messageId !== null && (await extendMessage(tx, messageId, prompt, (text) => isAtMost(text, limits.prompt)))
    if (isAdded) return folded
    const queued = { prompt, goal: null, isImmediate: false, source: 'trigger' as const, triggerId: trigger.id }
    await deliverPrompt(app, tx, { id: session.id }, queued)
    return { outcome: 'queued', sessionId: session.id, reason: null }
  }
  const isRecurring = conditions.every((condition) => condition.condition_type === 'schedule' && !condition.is_one_shot)
  if (!isRecurring) return folded
  await alertIfStuck(firing, session, pending)
  return {
    ...folded,
    changes: {
      missed_fire_count: trigger.missed_fire_count + 1,
      first_missed_fire_at: trigger.first_missed_fire_at ?? now,
    },
  }
}

const stuckCount = 2
const stuckMs = 3_600_000

/** Alerts once for a prompt that has waited for an hour while at least two runs were missed. */
async function alertIfStuck({ app, tx, trigger, now }: Firing, session: SessionRow, { createdAt }: OwnPending) {
  const isStuck = (at: Date, count: number) => count >= stuckCount && at.getTime() - createdAt.getTime() >= stuckMs
  const { missed_fire_count: before, last_triggered_at: last } = trigger
  if (!isStuck(now, before + 1) || (last && isStuck(last, before))) return
  app.log.warn({ session_id: session.id, missed: before + 1 }, 'a scheduled prompt is not taken up')
  const sentence = `has waited for over an hour, and ${before + 1} further runs were missed.`
  await note(app, tx, session.id, `The prompt of trigger ${trigger.id} (${trigger.name}) ${sentence}`, 'warning')
}

/** Lists that the trigger sets replace those of the session. */
async function applyLists({ app, tx, trigger }: Firing, session: SessionRow): Promise<void> {
  const lists = resolveLists(app, trigger)
  const changed = artifactLists.filter((list) => lists[list] && !isSame(lists[list], session[list]))
  if (changed.length === 0) return
  await recordArtifacts(tx, session.id, Object.fromEntries(changed.map((list) => [list, lists[list]])))
  const isNarrower = changed.some((list) => session[list].some((name) => !lists[list]?.includes(name)))
  await note(
    app,
    tx,
    session.id,
    `Trigger ${trigger.id} changed ${changed.join(', ')}. The change applies from the next turn.`,
    isNarrower ? 'warning' : 'info',
  )
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())
}
