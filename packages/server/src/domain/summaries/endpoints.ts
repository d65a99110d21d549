import { SessionRef } from '@yardmaster/contract/identifiers'
import { SummaryQueued } from '@yardmaster/contract/lifecycle/fields'
import { z } from 'zod'
import { answer } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { requestSummary } from './request-summary.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const endpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/regenerate_status_summary',
    tag,
    summary: 'Ask for a new summary of where a session stands',
    description:
      "An agent of the session's own runtime writes it, apart from the session: nothing of the session changes, also when it is archived. `status_summary` of the session shows it when it is ready. Requests while one is being made are that one.",
    params,
    answers: { 202: SummaryQueued },
    refusals: ['cannot_summarise'],
    handle: async ({ params }, app) =>
      answer(202, {
        session_id: await requestSummary(app, params.id),
        message: 'Status summary regeneration queued',
      }),
  }),
]
