import * as contract from '@yardmaster/contract/summaries/endpoints'
import { answer } from '../../platform/http/answer.ts'
import { bind } from '../app.ts'
import { requestSummary } from './request-summary.ts'

export const endpoints = [
  bind(contract.regenerateStatusSummary, async ({ params }, app) =>
    answer(202, {
      session_id: await requestSummary(app, params.id),
      message: 'Status summary regeneration queued',
    }),
  ),
]
