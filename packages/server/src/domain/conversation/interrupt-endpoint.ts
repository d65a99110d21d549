import * as contract from '@yardmaster/contract/conversation/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { interruptWithMessage } from './interrupt.ts'

export const interruptEndpoint = bind(contract.interruptWithMessage, async ({ params, body }, app) => {
  const session = await interruptWithMessage(app, params.session_id, params.id, body.acting_session_id)
  return ok({ session, message: 'Message sent as interrupt' })
})
