import * as contract from '@yardmaster/contract/attachments/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { createAttachment, removeAttachment, showAttachment } from './attachment.ts'

export const endpoints = [
  bind(contract.createAttachment, async ({ body }, app) => created({ attachment: await createAttachment(app, body) })),
  bind(contract.showAttachment, async (request, app) =>
    ok(await showAttachment(app, request.params.id, (bytes) => request.turnToAnswer(bytes))),
  ),
  bind(contract.deleteAttachment, async ({ params }, app) => {
    await removeAttachment(app, params.id)
    return noContent()
  }),
]
