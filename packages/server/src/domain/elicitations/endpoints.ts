import * as contract from '@yardmaster/contract/elicitations/endpoints'
import { created, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { pollByKey, pollByToken, raiseByKey, raiseByToken } from './ask-by-http.ts'
import { findElicitation, listElicitations } from './find.ts'
import { respond } from './respond.ts'

export const endpoints = [
  bind(contract.raiseByToken, async (request, app) => {
    const asked = { claimed: request.early._meta, body: () => request.body }
    return created(await raiseByToken(app, request.params.token, asked))
  }),
  bind(contract.pollByToken, async ({ params }, app) => {
    const { poll, onUnsent } = await pollByToken(app, params.token, params.request_id)
    return ok(poll, onUnsent)
  }),
  bindList(contract.listElicitations, ({ filters, page }, app) => listElicitations(app, filters, page)),
  bind(contract.raiseElicitation, async (request, app) =>
    created(await raiseByKey(app, { claimed: request.early._meta, body: () => request.body })),
  ),
  bind(
    contract.pollElicitation,
    async ({ params }, app) => {
      const { poll, onUnsent } = await pollByKey(app, params.request_id)
      return ok(poll, onUnsent)
    },
    // Also for `respond`, which takes the numeric id as well.
    ({ request_id }, app) => findElicitation(app, request_id),
  ),
  bind(contract.respondToElicitation, async (request, app) =>
    ok(await respond(app, request.params.id, { answer: () => request.body, agentOf: request.agentOf })),
  ),
]
