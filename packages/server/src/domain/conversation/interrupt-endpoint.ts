import * as contract from '@yardmaster/contract/conversation/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { interruptWithMessage } from './interrupt.ts'

export const interruptEndpoint = bind(contract.interruptWithMessage, async ({ params, body, agentOf }, app) => {
  const session = await interruptWithMessage(app, params.session_id, params.id, {
    actingSessionId: body.acting_session_id,
    isByPerson: agentOf === undefined && body.acting_session_id === undefined,
  })
  return ok({ session, message: 'Message sent as interrupt' })
})
