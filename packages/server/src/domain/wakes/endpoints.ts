import * as contract from '@yardmaster/contract/wakes/endpoints'
import { created } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { wakeLater, wakeOnEvent } from './arm-wake.ts'

export const endpoints = [
  bind(contract.wakeLater, async ({ params, body }, app) => created(await wakeLater(app, params.id, body))),
  bind(contract.wakeOnEvent, async ({ params, body }, app) => created(await wakeOnEvent(app, params.id, body))),
]
