import type { SessionRef } from '@yardmaster/contract/identifiers'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import { traceparent } from '../../platform/tracing/traceparent.ts'
import type { App } from '../app.ts'
import { type Heard, hear, recordHeard, recordUncle } from '../hierarchy/hierarchy.ts'
import { appendToQueue, isAtRest, type Message, type NewMessage, scheduleDrain } from '../inbox/inbox.ts'
import { acknowledge } from '../notifications/notification.ts'
import { lockSession } from '../sessions/session.ts'
import type { Speaker } from './speaker.ts'

type Request = NewMessage & Speaker

/** Queues a message. A session at rest gets it after a grace period; a failed session gets it after a restart. */
export async function enqueueMessage(app: App, ref: SessionRef, request: Request): Promise<Message> {
  const heard = await hear(app, request.browser, { entryPoint: 'web_ui.enqueued_message', content: request.content })
  const item = { ...request, heard, traceparent: traceparent() }
  return app.batcher.submit(`enqueue:${JSON.stringify(ref)}`, item, (requests) => enqueueAll(app, ref, requests))
}

async function enqueueAll(
  app: App,
  ref: SessionRef,
  requests: readonly (Request & { heard: Heard | undefined })[],
): Promise<Message[]> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    if (session.status === 'archived') refuse('cannot_follow_up', 'Session is archived. Unarchive it first.')
    const queued = await appendToQueue(app, tx, session, requests)
    for (const actingSessionId of new Set(requests.map((request) => request.actingSessionId))) {
      await recordUncle(tx, { sessionId: session.id, actingSessionId, source: 'api_v1:enqueued_messages.create' })
    }
    for (const { heard } of requests) await recordHeard(tx, session.id, heard)
    if (requests.some(({ isByPerson }) => isByPerson)) await acknowledge(app, tx, session.id)
    if (await isAtRest(tx, session)) await scheduleDrain(tx, session)
    return queued
  })
}
