import * as contract from '@yardmaster/contract/inbox/endpoints'
import { created } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { presentMessage } from '../inbox/inbox.ts'
import { enqueueMessage } from './enqueue-message.ts'
import { speakerOf } from './speaker.ts'

export const enqueueEndpoint = bind(contract.createMessage, async (request, app) => {
  const { content, goal } = request.body
  const message = { content, goal: goal ?? null, ...speakerOf(request) }
  return created({ enqueued_message: presentMessage(await enqueueMessage(app, request.params.session_id, message)) })
})
