import * as contract from '@yardmaster/contract/conversation/endpoints'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { answer, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { type FollowUpOutcome, followUp } from './follow-up.ts'
import { speakerOf } from './speaker.ts'

export const followUpEndpoint = bind(contract.followUpSession, async (request, app) => {
  const { params, body } = request
  const { session, delivery, message, ...outcome } = await followUp(app, params.id, {
    prompt: body.prompt,
    goal: body.goal,
    isImmediate: body.force_immediate,
    ...speakerOf(request),
  })
  const wake = pendingWake(outcome.wake)
  if (!message) return ok({ session, message: deliveries[delivery], ...wake })
  const { id, position, status } = message
  return answer(202, {
    session,
    enqueued_message: { id, position, status },
    message: deliveries[delivery],
    ...wake,
  })
})

const deliveries = {
  sent: 'Follow-up prompt sent',
  interrupted: 'Follow-up prompt sent immediately',
  queued: 'Message queued (session is running). It will be sent when the agent completes its current task.',
} as const

function pendingWake(wake: FollowUpOutcome['wake']) {
  return wake && { pending_wake: { at: wake.at && formatTimestamp(wake.at), preserved: true as const } }
}
