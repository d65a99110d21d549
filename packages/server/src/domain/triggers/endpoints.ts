import * as contract from '@yardmaster/contract/triggers/endpoints'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { changeTrigger, createTrigger, removeTrigger, type Saved, toggleTrigger } from './change-trigger.ts'
import { listTriggers, showTrigger } from './find-triggers.ts'

export const endpoints = [
  bindList(contract.listTriggers, ({ filters, page, roots }, app) => listTriggers(app, { ...filters, roots }, page)),
  bind(contract.showTrigger, async ({ params }, app) => ok(await showTrigger(app, params.id))),
  bind(contract.createTrigger, async ({ body, agentOf }, app) =>
    created(answer(await createTrigger(app, body, { madeBy: agentOf }))),
  ),
  bind(contract.updateTrigger, async ({ params, body }, app) => ok(answer(await changeTrigger(app, params.id, body)))),
  bind(contract.deleteTrigger, async ({ params }, app) => {
    await removeTrigger(app, params.id)
    return noContent()
  }),
  bind(contract.toggleTrigger, async ({ params }, app) => ok({ trigger: await toggleTrigger(app, params.id) })),
]

function answer({ trigger, warnings }: Saved) {
  return { trigger, ...(warnings.length > 0 && { warnings }) }
}
