import { receiveForgeEvent } from '@yardmaster/contract/webhooks/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { receiveEvent } from './receive-event.ts'

export const endpoints = [
  bind(receiveForgeEvent, async ({ headers, body }, app) => ok(await receiveEvent(app, headers, body))),
]
