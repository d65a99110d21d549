import { SessionRef } from '@yardmaster/contract/identifiers'
import { queryBoolean } from '@yardmaster/contract/query'
import {
  CreatedSession,
  NewSession,
  ReplayedSession,
  Session,
  SessionFilters,
  ShownSession,
} from '@yardmaster/contract/session'
import { TranscriptText } from '@yardmaster/contract/transcript'
import { z } from 'zod'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { defineEndpoint, listEndpoint } from '../app.ts'
import { createSession } from './create/create-session.ts'
import { deleteSession } from './delete-session.ts'
import { listSessions } from './list-sessions.ts'
import { readTranscript } from './read-transcript.ts'
import { findByIdempotencyKey } from './session.ts'
import { showSession } from './show-session.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const endpoints = [
  listEndpoint({
    path: '/sessions',
    tag,
    summary: 'List sessions, newest first',
    key: 'sessions',
    item: Session,
    filters: SessionFilters,
    find: ({ filters, page }, app) => listSessions(app, filters, page),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions',
    tag,
    summary: 'Create a session and queue its first turn',
    description:
      'Without a prompt nothing runs until somebody follows up. A repeat with an idempotency key that was used answers 200 with the session that key created, whatever else it says.',
    body: NewSession,
    answers: { 200: ReplayedSession, 201: CreatedSession },
    refusals: ['invalid_agent_root', 'invalid_model', 'invalid_placement'],
    handle: async (request, app) => {
      const earlier = await findByIdempotencyKey(app, request.rawBody.idempotency_key)
      if (earlier) return ok({ session: earlier, idempotent_replay: true as const })
      const { session, isReplay, warnings } = await createSession(app, request.body)
      if (isReplay) return ok({ session, idempotent_replay: true as const })
      return created({ session, ...(warnings.length > 0 && { warnings }) })
    },
  }),
  defineEndpoint({
    method: 'GET',
    path: '/sessions/{id}',
    tag,
    summary: 'Show a session with its place among others',
    params,
    query: z.object({
      include_transcript: queryBoolean({ default: false }).meta({
        description: 'Adds the stored transcript to the session.',
      }),
    }),
    answers: { 200: ShownSession },
    handle: async ({ params, query }, app) =>
      ok(await showSession(app, params.id, { withTranscript: query.include_transcript })),
  }),
  defineEndpoint({
    method: 'DELETE',
    path: '/sessions/{id}',
    tag,
    summary: 'Delete a session for good, with everything it holds',
    params,
    answers: { 204: 'nothing' },
    handle: async ({ params }, app) => {
      await deleteSession(app, params.id)
      return noContent()
    },
  }),
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
      ok(await readTranscript(app, params.id, { isPlainText: query.format === 'text' })),
  }),
]
