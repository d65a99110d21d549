import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import { traceparent } from '../../platform/tracing/traceparent.ts'
import type { App } from '../app.ts'
import { type Heard, hear, recordHeard, recordUncle } from '../hierarchy/hierarchy.ts'
import { findNextWake } from '../inbox/inbox.ts'
import { takeCharge } from '../lifecycle/lifecycle.ts'
import { acknowledge } from '../notifications/notification.ts'
import { showRow } from '../sessions/session.ts'
import { type Delivery, deliverPrompts } from './deliver-prompt.ts'
import type { Speaker } from './speaker.ts'

export type FollowUp = {
  prompt: string
  goal: string | null
  isImmediate: boolean
} & Speaker

export type FollowUpOutcome = Delivery & {
  session: Session
  /** The wake that is armed for the session; a follow-up leaves it armed. */
  wake: { at: Date | null } | undefined
}

/**
 * Sends a prompt to a session. The prompt is a row before the caller is answered. Callers who send at the same moment
 * share a few transactions, so that hundreds of them neither queue for the row lock nor use up the connections.
 */
export async function followUp(app: App, ref: SessionRef, request: FollowUp): Promise<FollowUpOutcome> {
  const heard = await hear(app, request.browser, { entryPoint: 'web_ui.follow_up', content: request.prompt })
  const item = { ...request, heard, traceparent: traceparent() }
  return app.batcher.submit(`follow_up:${JSON.stringify(ref)}`, item, (batch) => followUpAll(app, ref, batch))
}

async function followUpAll(
  app: App,
  ref: SessionRef,
  batch: readonly (FollowUp & { heard: Heard | undefined })[],
): Promise<FollowUpOutcome[]> {
  return transact(app.db, async (tx) => {
    const prompts = batch.map((request) => ({ ...request, source: 'follow_up' as const }))
    const deliveries = await deliverPrompts(app, tx, ref, prompts)
    const session = await showRow(app, tx, ref)
    for (const actingSessionId of new Set(batch.map((request) => request.actingSessionId))) {
      await recordUncle(tx, { sessionId: session.id, actingSessionId, source: 'api_v1:sessions.follow_up' })
    }
    for (const { heard } of batch) await recordHeard(tx, session.id, heard)
    if (batch.some(({ isByPerson }) => isByPerson)) {
      await takeCharge(tx, session.id)
      await acknowledge(app, tx, session.id)
    }
    const wake = await findNextWake(tx, session.id)
    return deliveries.map((delivery) => ({ ...delivery, session, wake }))
  })
}
