import * as contract from '@yardmaster/contract/hierarchy/endpoints'
import { noContent } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { detachUncle } from './detach-uncle.ts'

export const endpoints = [
  bind(contract.deleteUncleLink, async ({ params, query, body }, app) => {
    const actingSessionId = query.acting_session_id ?? body.acting_session_id
    await detachUncle(app, { junior: params.id, senior: params.uncle_id, actingSessionId })
    return noContent()
  }),
]
