import * as contract from '@yardmaster/contract/fires/endpoints'
import { created, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { genesisOfRequest } from '../sessions/session.ts'
import { invokeTrigger } from './invoke.ts'
import { listFires } from './list-fires.ts'
import { previewTrigger } from './preview.ts'

export const endpoints = [
  bind(contract.invokeTrigger, async (request, app) =>
    created(await invokeTrigger(app, request.params.id, request.body.variables, genesisOfRequest(request))),
  ),
  bindList(contract.listFires, ({ params, page }, app) => listFires(app, params.id, page)),
  bind(contract.previewTrigger, async ({ body }, app) => ok(await previewTrigger(app, body))),
]
