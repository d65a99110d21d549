import * as contract from '@yardmaster/contract/lifecycle/endpoints'
import { ok } from '../../../platform/http/answer.ts'
import { bind } from '../../app.ts'
import { changeModel } from './change-model.ts'
import { changeSession } from './change-session.ts'

export const updateEndpoints = [
  bind(contract.updateSession, async ({ params, body, agentOf }, app) =>
    ok(await changeSession(app, params.id, body, { isByPerson: agentOf === undefined })),
  ),
  bind(contract.updateModel, async ({ params, body }, app) =>
    ok({ session: await changeModel(app, params.id, body.model), message: 'Model updated' }),
  ),
]
