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
  summary: 'Request a new summary of a session',
  description:
    "An agent of the session's own runtime writes it, outside the session: the session does not change, and may be archived. `status_summary` shows it when it is ready. Requests while one is being made join it.",
  params,
  answers: { 202: SummaryQueued },
  refusals: ['cannot_summarise'],
})

export const endpoints = [regenerateStatusSummary] as const
