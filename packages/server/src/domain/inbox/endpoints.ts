import * as contract from '@yardmaster/contract/inbox/endpoints'
import { noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { listTurns } from './list-turns.ts'
import { changeMessage, listMessages, removeMessage, reorderMessage, showMessage } from './messages.ts'
import { presentMessage } from './present-message.ts'

export const endpoints = [
  bindList(contract.listTurns, ({ params, page }, app) => listTurns(app, params.session_id, page)),
  bindList(contract.listMessages, async ({ params, filters, page }, app) => {
    const { rows, totalCount } = await listMessages(app, params.session_id, filters, page)
    return { items: rows.map(presentMessage), totalCount }
  }),
  bind(contract.showMessage, async ({ params }, app) =>
    ok({ enqueued_message: presentMessage(await showMessage(app, params.session_id, params.id)) }),
  ),
  bind(contract.updateMessage, async ({ params, body, browser }, app) => {
    const message = await changeMessage(app, params.session_id, params.id, body, browser)
    return ok({ enqueued_message: presentMessage(message) })
  }),
  bind(contract.deleteMessage, async ({ params }, app) => {
    await removeMessage(app, params.session_id, params.id)
    return noContent()
  }),
  bind(contract.reorderMessage, async ({ params, body }, app) => {
    const message = await reorderMessage(app, params.session_id, params.id, body.position)
    return ok({ enqueued_message: presentMessage(message) })
  }),
]
