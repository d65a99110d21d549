import * as contract from '@yardmaster/contract/attention/endpoints'
import { ok } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { markSeen } from './mark-seen.ts'
import { showNeedsYou } from './needs-you.ts'

export const endpoints = [
  bind(contract.showNeedsYou, async (_request, app) => ok(await showNeedsYou(app))),
  bind(contract.markSeen, async ({ params, body }, app) => ok(await markSeen(app, params.id, body.transition_id))),
]
