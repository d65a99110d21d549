import * as contract from '@yardmaster/contract/conversation/endpoints'
import { answer, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { messageParent, type ParentMessageOutcome } from './message-parent.ts'

export const messageParentEndpoint = bind(contract.messageParent, async ({ params, body }, app) => {
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
