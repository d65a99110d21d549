import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { SessionEvent } from '@yardmaster/contract/triggers/conditions'
import type { Transaction } from '../../platform/db/database.ts'
import { automatedMessage } from '../../runtimes/automated-message.ts'
import { type App, defineSubscription, handleJob } from '../app.ts'
import { deliverPrompt } from '../conversation/conversation.ts'
import { fireTrigger, type TriggerEvent } from '../fires/fire.ts'
import { findNextWake, isAtRest } from '../inbox/inbox.ts'
import { sessionDeleted, sessionStatusChanged } from '../sessions/events.ts'
import { findSession, isSessionGone, lockSessionIfThere, selectLastTransition } from '../sessions/session.ts'
import { enqueueSessionEvent, fireSessionEventJob, type SessionEventPayload } from '../triggers/session-event-job.ts'
import { deleteConditions, deleteTriggers, eventWords, lockTrigger, selectConditionsOf } from '../triggers/trigger.ts'
import { selectDeadWatches, selectMatchingWatches } from './session-event-store.ts'

const eventOf: Partial<Record<SessionStatus, SessionEvent>> = {
  needs_input: 'session_needs_input',
  failed: 'session_failed',
  archived: 'session_archived',
}

/** A session that rests for so long needs input; one that rests for less may only be between two prompts. */
const settleMs = 30_000

/** Every change of a session's state is seen once, over any restart. */
export const watchSessions = defineSubscription({
  name: 'triggers.session_events',
  queue: 'triggers',
  startsAt: 'now',
  to: [sessionStatusChanged, sessionDeleted],
  handle: async (app, tx, event) => {
    const { sessionId, position } = event
    if (sessionId === null) return
    if (event.name === 'session.deleted') return pruneWatches(app, tx, sessionId, null)
    const { to, cause } = event.payload
    const name = eventOf[to]
    // A session that comes back from the archive asks for nothing.
    if (name === undefined || cause === 'unarchive') return
    if (to === 'archived') await pruneWatches(app, tx, sessionId, 'session_archived')
    await enqueueWatches(tx, { sessionId, event: name, position })
  },
})

async function enqueueWatches(
  tx: Transaction,
  { sessionId, event, position }: { sessionId: number; event: SessionEvent; position: number },
): Promise<void> {
  const isSettled = event === 'session_needs_input'
  const last = isSettled ? await selectLastTransition(tx, sessionId) : undefined
  if (isSettled && last?.to_status !== 'needs_input') return
  for (const { id: conditionId, trigger_id: triggerId } of await selectMatchingWatches(tx, { sessionId, event })) {
    await enqueueSessionEvent(
      tx,
      {
        triggerId,
        conditionId,
        sessionId,
        event,
        key: `${event}:${sessionId}:${position}`,
        transitionId: last?.id ?? null,
      },
      isSettled ? settleMs : 0,
    )
  }
}

/** Fires for a session that is still at rest since the change that it was enqueued for. */
export const fireSessionEvent = handleJob(fireSessionEventJob, async (payload, app) => {
  const { triggerId, sessionId, transitionId } = payload
  if (await isSessionGone(app.db, sessionId)) return
  const last = transitionId === null ? undefined : await selectLastTransition(app.db, sessionId)
  if (last && last.id !== transitionId) return
  const result = await fireTrigger(app, triggerId, await eventAbout(app, payload))
  app.log.debug({ outcome: result.outcome }, 'a session event fired a trigger')
})

async function eventAbout(app: App, payload: SessionEventPayload): Promise<TriggerEvent> {
  const { conditionId, sessionId, event, key } = payload
  const { title } = await findSession(app.db, { id: sessionId })
  const name = title ? `Session ${sessionId} ("${title}")` : `Session ${sessionId}`
  return {
    key,
    by: 'ao_event',
    conditionId,
    values: { event: `${name} ${eventWords[event]}`, title: title ?? '', link: `/api/v1/sessions/${sessionId}` },
    occurredAt: app.clock.now(),
    ifNotFired: 'lost',
    // What the session does meanwhile no longer matters: the event has happened.
    retryLater: (tx, delayMs) => enqueueSessionEvent(tx, { ...payload, transitionId: null }, delayMs),
  }
}

/** A watch that can no longer fire is removed. A session that sleeps on nothing else is told, so that it does not sleep for ever. */
async function pruneWatches(app: App, tx: Transaction, sessionId: number, except: SessionEvent | null): Promise<void> {
  const dead = await selectDeadWatches(tx, sessionId, { except })
  for (const triggerId of new Set(dead.map((watch) => watch.trigger_id))) {
    const watches = dead.filter((watch) => watch.trigger_id === triggerId)
    const trigger = await lockTrigger(tx, triggerId)
    if (!trigger) continue
    const conditions = await selectConditionsOf(tx, [triggerId])
    await deleteConditions(
      tx,
      watches.map(({ id }) => id),
    )
    if (watches.length < conditions.length) continue
    await deleteTriggers(tx, [triggerId])
    if (trigger.reuse_session && trigger.last_session_id !== null) {
      const happened = except === null ? 'was deleted' : 'was archived'
      await wakeIfStranded(
        app,
        tx,
        trigger.last_session_id,
        `Session ${sessionId}, which you were waiting for, ${happened}.`,
      )
    }
  }
}

async function wakeIfStranded(app: App, tx: Transaction, id: number, sentence: string): Promise<void> {
  const session = await lockSessionIfThere(tx, { id })
  if (session?.status !== 'waiting' || !(await isAtRest(tx, session)) || (await findNextWake(tx, id))) return
  const prompt = automatedMessage(`${sentence} No other wake is armed for you: decide how to go on without it.`)
  await deliverPrompt(app, tx, { id }, { prompt, goal: null, isImmediate: false, source: 'wake' })
}
