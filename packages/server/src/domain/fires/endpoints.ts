import * as contract from '@yardmaster/contract/fires/endpoints'
import { created } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { invokeTrigger } from './invoke.ts'
import { listFires } from './list-fires.ts'

export const endpoints = [
  bind(contract.invokeTrigger, async ({ params, body }, app) =>
    created(await invokeTrigger(app, params.id, body.variables)),
  ),
  bindList(contract.listFires, ({ params, page }, app) => listFires(app, params.id, page)),
]
