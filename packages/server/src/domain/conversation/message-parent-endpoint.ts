import {
  DeliveredParentMessage,
  ParentMessage,
  QueuedParentMessage,
} from '@yardmaster/contract/conversation/parent-message'
import { SessionRef } from '@yardmaster/contract/identifiers'
import { z } from 'zod'
import { answer, ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { messageParent, type ParentMessageOutcome } from './message-parent.ts'

export const messageParentEndpoint = defineEndpoint({
  method: 'POST',
  path: '/sessions/{id}/message_parent',
  tag: 'Sessions',
  summary: 'Report to the session that spawned this one',
  description:
    '`id` is the child; the parent is the one on record. While a turn of the parent is underway the message is queued (202), else it is its next turn (200). An archived or failed parent answers 409.',
  params: z.object({ id: SessionRef }),
  body: ParentMessage,
  answers: { 200: DeliveredParentMessage, 202: QueuedParentMessage },
  refusals: ['cannot_message_parent', 'parent_unavailable'],
  handle: async ({ params, body }, app) => {
    const outcome = await messageParent(app, params.id, body)
    const delivered = {
      parent_session: outcome.session,
      delivery: outcome.delivery,
      unarchived_parent: outcome.wasUnarchived,
      message: describe(outcome),
    }
    if (!outcome.message) return ok(delivered)
    const { id, position, status } = outcome.message
    return answer(202, { ...delivered, enqueued_message: { id, position, status } })
  },
})

const outcomes: Record<ParentMessageOutcome['delivery'], (id: number) => string> = {
  queued: (id) => `Report queued for parent session #${id}. It will be read when that session's current turn ends.`,
  sent: (id) => `Report delivered to parent session #${id}.`,
  interrupted: (id) => `Report delivered to parent session #${id} immediately; a turn it was in was ended.`,
}

function describe({ delivery, session, wasUnarchived }: ParentMessageOutcome): string {
  const restored = wasUnarchived ? ' The parent session was restored from the archive first.' : ''
  return outcomes[delivery](session.id) + restored
}
