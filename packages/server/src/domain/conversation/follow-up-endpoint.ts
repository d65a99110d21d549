import * as contract from '@yardmaster/contract/conversation/endpoints'
import { limits } from '@yardmaster/contract/limits'
import { isAtMost } from '@yardmaster/contract/text'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { answer, ok } from '../../platform/http/answer.ts'
import { refuse } from '../../platform/refusal.ts'
import { bind } from '../app.ts'
import { type FollowUpOutcome, followUp } from './follow-up.ts'

export const followUpEndpoint = bind(contract.followUpSession, async ({ params, body }, app) => {
  const { session, delivery, message, ...heard } = await followUp(app, params.id, {
    prompt: readText('prompt', body.prompt) ?? refuse('missing_parameter', 'prompt is required'),
    goal: readText('goal', body.goal),
    isImmediate: body.force_immediate,
    actingSessionId: body.acting_session_id,
  })
  const wake = pendingWake(heard.wake)
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

function readText(name: 'prompt' | 'goal', said: string | null | undefined): string | null {
  const text = said?.trim() || null
  if (text === null || isAtMost(text, limits[name])) return text
  return refuse('validation_failed', `${name} is too long (maximum ${limits[name]} characters)`)
}

function pendingWake(wake: FollowUpOutcome['wake']) {
  return wake && { pending_wake: { at: wake.at && formatTimestamp(wake.at), preserved: true as const } }
}
