import { SessionRef } from '@yardmaster/contract/identifiers'
import { TranscriptText } from '@yardmaster/contract/transcripts/fields'
import { z } from 'zod'
import { ok } from '../../platform/http/answer.ts'
import { defineEndpoint } from '../app.ts'
import { showTranscript } from './show-transcript.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const endpoints = [
  defineEndpoint({
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
    handle: async ({ params, query }, app) =>
      ok(await showTranscript(app, params.id, { isPlainText: query.format === 'text' })),
  }),
]
