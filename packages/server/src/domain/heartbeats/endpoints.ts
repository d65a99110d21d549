import * as contract from '@yardmaster/contract/heartbeats/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { changeHeartbeat } from './change-heartbeat.ts'

export const endpoints = [
  bind(contract.updateHeartbeat, async ({ params, body }, app) => {
    const session = await changeHeartbeat(app, params.id, body)
    const { heartbeat_enabled, heartbeat_interval_seconds } = session
    return ok({ session, heartbeat_enabled, heartbeat_interval_seconds })
  }),
]
