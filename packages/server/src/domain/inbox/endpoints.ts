import * as contract from '@yardmaster/contract/inbox/endpoints'
import type { EnqueuedMessage } from '@yardmaster/contract/inbox/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { z } from 'zod'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import type { Message } from './inbox.ts'
import { changeMessage, enqueueMessage, listMessages, removeMessage, reorderMessage, showMessage } from './messages.ts'

export const endpoints = [
  bindList(contract.listMessages, async ({ params, filters, page }, app) => {
    const { rows, totalCount } = await listMessages(app, params.session_id, filters, page)
    return { items: rows.map(present), totalCount }
  }),
  bind(contract.showMessage, async ({ params }, app) =>
    ok({ enqueued_message: present(await showMessage(app, params.session_id, params.id)) }),
  ),
  bind(contract.createMessage, async ({ params, body }, app) => {
    const { content, goal, acting_session_id: actingSessionId } = body
    const message = await enqueueMessage(app, params.session_id, { content, goal: goal ?? null, actingSessionId })
    return created({ enqueued_message: present(message) })
  }),
  bind(contract.updateMessage, async ({ params, body }, app) =>
    ok({ enqueued_message: present(await changeMessage(app, params.session_id, params.id, body)) }),
  ),
  bind(contract.deleteMessage, async ({ params }, app) => {
    await removeMessage(app, params.session_id, params.id)
    return noContent()
  }),
  bind(contract.reorderMessage, async ({ params, body }, app) => {
    const message = await reorderMessage(app, params.session_id, params.id, body.position)
    return ok({ enqueued_message: present(message) })
  }),
]

function present({ created_at, updated_at, trigger_id: _, ...message }: Message): z.output<typeof EnqueuedMessage> {
  return { ...message, created_at: formatTimestamp(created_at), updated_at: formatTimestamp(updated_at) }
}
