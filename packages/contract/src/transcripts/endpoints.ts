import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { TranscriptText } from './fields.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const readTranscript = defineEndpoint({
  name: 'sessions.transcript',
  auth: 'api_key',
  method: 'GET',
  path: '/sessions/{id}/transcript',
  tag,
  summary: 'Read the conversation',
  params,
  query: z.object({
    format: z.string().optional().meta({ description: '`text` answers plain text; anything else JSON.' }),
  }),
  answers: { 200: [TranscriptText, 'text'] },
  refusals: ['no_transcript'],
})

export const endpoints = [readTranscript] as const
