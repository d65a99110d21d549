import { IdParam, SessionRef } from '@yardmaster/contract/identifiers'
import { MessageInterrupt } from '@yardmaster/contract/inbox/fields'
import { SessionWithMessage } from '@yardmaster/contract/lifecycle/fields'
import { z } from 'zod'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { interruptWithMessage } from './interrupt.ts'

export const interruptEndpoint = defineEndpoint({
  method: 'POST',
  path: '/sessions/{session_id}/enqueued_messages/{id}/interrupt',
  tag: 'Enqueued messages',
  summary: 'Deliver a queued message now, in the place of a turn that is underway',
  params: z.object({ session_id: SessionRef, id: IdParam }),
  body: MessageInterrupt,
  answers: { 200: SessionWithMessage },
  refusals: ['message_taken', 'cannot_interrupt'],
  handle: async ({ params, body }, app) => {
    const session = await interruptWithMessage(app, params.session_id, params.id, body.acting_session_id)
    return ok({ session, message: 'Message sent as interrupt' })
  },
})
