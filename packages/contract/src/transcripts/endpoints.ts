import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { IdParam, SessionRef } from '../identifiers.ts'
import { EntryPage, EntryPart, EntryQuery, Thread } from './entry-fields.ts'
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

export const listEntries = defineEndpoint({
  name: 'transcripts.entries',
  auth: 'api_key',
  method: 'GET',
  path: '/sessions/{id}/entries',
  tag,
  summary: 'Read a page of the conversation, entry by entry',
  description:
    'The last page unless `before`, `after` or `around` names a place. A reader that has entry 41 continues with `after=41`. The numbers in `turn` are those of `GET /sessions/{session_id}/turns`.',
  params,
  query: EntryQuery,
  answers: { 200: EntryPage },
})

export const showPart = defineEndpoint({
  name: 'transcripts.part',
  auth: 'api_key',
  method: 'GET',
  path: '/sessions/{id}/entries/{sequence}/parts/{n}',
  tag,
  summary: 'Read one part of an entry as a whole',
  params: params.extend({
    sequence: IdParam.meta({ description: 'The entry, by its sequence.' }),
    n: IdParam.meta({ description: 'The part, by its place in `parts`, from 0.', examples: ['0'] }),
  }),
  query: z.object({ thread: Thread }),
  answers: { 200: z.object({ part: EntryPart }) },
})

export const endpoints = [readTranscript, listEntries, showPart] as const
