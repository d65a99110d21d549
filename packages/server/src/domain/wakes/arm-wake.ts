import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session, SessionStatus } from '@yardmaster/contract/sessions/fields'
import {
  type ConditionType,
  type Configuration,
  type SessionEvent,
  sessionEvents,
} from '@yardmaster/contract/triggers/conditions'
import type { Trigger } from '@yardmaster/contract/triggers/fields'
import { refuse } from '../../platform/refusal.ts'
import { instantOf, isTimeZone, readWallClock } from '../../platform/wall-clock.ts'
import type { App } from '../app.ts'
import { findSession, readMetadata, type SessionRow, showRow } from '../sessions/session.ts'
import { createTrigger, selectNow } from '../triggers/trigger.ts'

export type Armed = { trigger: Trigger; session: Session; message: string }

/** Only these can be resumed by a prompt. */
const wakeable: readonly SessionStatus[] = ['needs_input', 'running', 'waiting']
/** Less is not worth sleeping for, and may be over before the session sleeps. */
const minAheadMs = 30_000

type LaterRequest = { wake_at: string; timezone?: string | null | undefined; prompt: string }

/** Puts a session to sleep and wakes it at a local time. */
export async function wakeLater(app: App, ref: SessionRef, request: LaterRequest): Promise<Armed> {
  const target = await findSession(app.db, ref)
  const timezone = request.timezone || 'UTC'
  if (!isTimeZone(timezone)) refuse('cannot_wake', 'timezone is not a recognized timezone')
  const read = readWallClock(request.wake_at.trim())
  if (!read) return refuse('cannot_wake', 'wake_at must be a date and time such as 2030-09-02T08:15')
  if (read.offset !== '') refuse('cannot_wake', 'wake_at must not have an offset; give the local time and a timezone')
  const at = instantOf(read.clock, timezone)
  if (at.getTime() - (await selectNow(app.db)).getTime() <= minAheadMs)
    refuse('cannot_wake', 'wake_at must be more than 30 seconds ahead')
  return arm(app, target, {
    prompt: request.prompt,
    name: `Wake at ${request.wake_at.trim()}`,
    conditions: [{ condition_type: 'schedule', configuration: { scheduled_at: request.wake_at.trim(), timezone } }],
    when: `at ${request.wake_at.trim()} (${timezone})`,
  })
}

type EventRequest = {
  watched_session_id: SessionRef
  event_name?: SessionEvent | null | undefined
  event_names?: readonly SessionEvent[] | null | undefined
  prompt: string
}

/** Puts a session to sleep and wakes it when another one changes its state. */
export async function wakeOnEvent(app: App, ref: SessionRef, request: EventRequest): Promise<Armed> {
  const target = await findSession(app.db, ref)
  const watched = await findSession(app.db, request.watched_session_id)
  if (watched.id === target.id) refuse('cannot_wake', 'A session cannot watch itself')
  const named = [...(request.event_names ?? []), ...(request.event_name ? [request.event_name] : [])]
  const events = named.length > 0 ? [...new Set(named)] : sessionEvents
  if (watched.status === 'archived' && !events.includes('session_archived'))
    refuse('cannot_wake', `Session ${watched.id} is archived; what you want to wait for can no longer happen`)
  return arm(app, target, {
    prompt: request.prompt,
    name: `Wake by session ${watched.id}`,
    conditions: events.map((event_name) => ({
      condition_type: 'ao_event',
      configuration: { event_name, watched_session_id: watched.id },
    })),
    when: `when session ${watched.id} changes its state (${events.join(', ')})`,
  })
}

type Wake = {
  prompt: string
  name: string
  conditions: { condition_type: ConditionType; configuration: Configuration }[]
  when: string
}

async function arm(app: App, target: SessionRow, { prompt, name, conditions, when }: Wake): Promise<Armed> {
  if (!wakeable.includes(target.status))
    refuse(
      'cannot_wake',
      `Session ${target.id} is ${target.status}; only a session in ${wakeable.join(', ')} can sleep`,
    )
  const { trigger } = await createTrigger(app, {
    name,
    agent_root_name: readMetadata(target).agent_root_key ?? 'none',
    prompt_template: prompt,
    reuse_session: true,
    last_session_id: target.id,
    trigger_conditions_attributes: conditions,
  })
  const session = await showRow(app, app.db, { id: target.id })
  const sleeps = session.status === 'running' ? 'sleeps when its turn ends' : 'sleeps'
  return { trigger, session, message: `Session ${target.id} ${sleeps} and is woken ${when}.` }
}
