import * as contract from '@yardmaster/contract/connectors/endpoints'
import { noContent, ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { beginFlow, findDeclared } from './begin-flow.ts'
import { completePasted } from './complete-flow.ts'
import { disconnect, findStored } from './disconnect.ts'
import { listConnectors } from './list-connectors.ts'

export const endpoints = [
  bind(contract.listConnectors, async (_request, app) => ok(await listConnectors(app))),
  bind(
    contract.authorizeConnector,
    async ({ params, body, browser }, app) => {
      const { session_id: sessionId, again = false } = body
      const from = { signInId: browser?.signInId, returnOrigin: browser?.origin }
      const step = await beginFlow(app, { serverName: params.name, sessionId, ...from, again })
      const { kind: next, serverName: server_name } = step
      const where = step.kind === 'authorized' ? { url: null, state: null } : { url: step.url, state: step.state }
      return ok({ next, server_name, ...where })
    },
    async ({ name }, app) => void findDeclared(app, name),
  ),
  bind(contract.completeConnector, async ({ body, browser }, app) => {
    const { state, redirect_response: pasted } = body
    const { serverName, resumed } = await completePasted(app, state, pasted, { signInId: browser?.signInId })
    return ok({ server_name: serverName, resumed_sessions: [...resumed] })
  }),
  bind(
    contract.disconnectConnector,
    async ({ params }, app) => {
      await disconnect(app, params.id)
      return noContent()
    },
    ({ id }, app) => findStored(app, id),
  ),
]
