import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { SummaryQueued } from '../lifecycle/fields.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const regenerateStatusSummary = defineEndpoint({
  name: 'sessions.regenerate_status_summary',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/regenerate_status_summary',
  tag,
  summary: 'Ask for a new summary of where a session stands',
  description:
    "An agent of the session's own runtime writes it, apart from the session: nothing of the session changes, also when it is archived. `status_summary` of the session shows it when it is ready. Requests while one is being made are that one.",
  params,
  answers: { 202: SummaryQueued },
  refusals: ['cannot_summarise'],
})

export const endpoints = [regenerateStatusSummary] as const
