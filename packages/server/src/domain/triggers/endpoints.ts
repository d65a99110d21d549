import * as contract from '@yardmaster/contract/triggers/endpoints'
import * as wakes from '@yardmaster/contract/triggers/wakes'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { bind, bindList } from '../app.ts'
import { changeTrigger, createTrigger, removeTrigger, type Saved, toggleTrigger } from './change-trigger.ts'
import { listFires, listTriggers, showTrigger } from './find-triggers.ts'
import { invokeTrigger } from './invoke.ts'
import { wakeLater, wakeOnEvent } from './wake.ts'

export const endpoints = [
  bindList(contract.listTriggers, ({ filters, page }, app) => listTriggers(app, filters, page)),
  bind(contract.showTrigger, async ({ params }, app) => ok(await showTrigger(app, params.id))),
  bind(contract.createTrigger, async ({ body }, app) => created(answer(await createTrigger(app, body)))),
  bind(contract.updateTrigger, async ({ params, body }, app) => ok(answer(await changeTrigger(app, params.id, body)))),
  bind(contract.deleteTrigger, async ({ params }, app) => {
    await removeTrigger(app, params.id)
    return noContent()
  }),
  bind(contract.toggleTrigger, async ({ params }, app) => ok({ trigger: await toggleTrigger(app, params.id) })),
  bind(contract.invokeTrigger, async ({ params, body }, app) =>
    created(await invokeTrigger(app, params.id, body.variables)),
  ),
  bind(wakes.wakeLater, async ({ params, body }, app) => created(await wakeLater(app, params.id, body))),
  bind(wakes.wakeOnEvent, async ({ params, body }, app) => created(await wakeOnEvent(app, params.id, body))),
  bindList(contract.listFires, ({ params, page }, app) => listFires(app, params.id, page)),
]

function answer({ trigger, warnings }: Saved) {
  return { trigger, ...(warnings.length > 0 && { warnings }) }
}
