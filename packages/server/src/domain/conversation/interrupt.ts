import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { recordUncle } from '../hierarchy/hierarchy.ts'
import { findMessage, type Message, moveMessage, returnQueuedTurns, withdrawLiveTurn } from '../inbox/inbox.ts'
import { acceptNextMessage, resume, takeCharge } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import { acknowledge } from '../notifications/notification.ts'
import { lockSession, type SessionRow, showRow, transition } from '../sessions/session.ts'
import type { Speaker } from './speaker.ts'

/** Delivers a queued message now. The first of several concurrent callers wins; the others get `message_taken`. */
export async function interruptWithMessage(
  app: App,
  ref: SessionRef,
  messageId: number,
  { actingSessionId, isByPerson }: Speaker,
): Promise<Session> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    const message = (await findMessage(tx, session.id, messageId)) ?? refuseMissing()
    if (message.status !== 'pending') refuse('message_taken', `Message is ${message.status} and cannot be sent again`)
    await interrupt(app, tx, session, message)
    const claim = { sessionId: session.id, actingSessionId, source: 'api_v1:enqueued_messages.interrupt' } as const
    await recordUncle(tx, claim)
    if (isByPerson) {
      await takeCharge(tx, session.id)
      await acknowledge(app, tx, session.id)
    }
    return showRow(app, tx, { id: session.id })
  })
}

/**
 * Replaces the live turn with the message. Queued turns go back to the message queue; they and the other messages keep
 * their order after this message.
 */
export async function interrupt(app: App, tx: Transaction, session: SessionRow, message: Message): Promise<void> {
  if (session.status === 'failed' || session.status === 'archived') {
    refuse(
      'cannot_interrupt',
      `Cannot interrupt when session is ${session.status}. Session must be running, waiting, or needs_input.`,
    )
  }
  await returnQueuedTurns(tx, session.id, 'interrupt')
  await moveMessage(tx, message, 1)
  const next = await acceptNextMessage(app, tx, session)
  if (!next) throw new Error('the message that was moved to the front of the queue no longer exists')
  await withdrawLiveTurn(tx, session.id, 'interrupt')
  if (session.status === 'running') {
    await transition(app, tx, { sessionId: session.id, cause: 'withdraw' })
    await note(app, tx, session.id, `The running turn was interrupted by message ${message.id}.`)
  }
  await resume(
    app,
    tx,
    { ...session, running_job_id: null },
    next.turnId,
    next.goal === undefined ? {} : { goal: next.goal },
  )
}
