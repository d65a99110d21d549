import * as contract from '@yardmaster/contract/conversation/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { interruptWithMessage } from './interrupt.ts'
import { speakerOf } from './speaker.ts'

export const interruptEndpoint = bind(contract.interruptWithMessage, async (request, app) => {
  const { session_id, id } = request.params
  const session = await interruptWithMessage(app, session_id, id, speakerOf(request))
  return ok({ session, message: 'Message sent as interrupt' })
})
