import { z } from 'zod'
import { ModelChange } from '../board/fields.ts'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { queryBoolean } from '../query.ts'
import { CreatedSession, NewSession, ReplayedSession, ShownSession } from '../sessions/fields.ts'
import {
  ArchivedSession,
  ArchiveRequest,
  BulkArchived,
  BulkArchiveRequest,
  ForkRequest,
  OneSession,
  RefreshedAll,
  SessionWithMessage,
  UnarchivedSession,
} from './fields.ts'
import { ChangedSession, SessionChanges } from './session-changes.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const createSession = defineEndpoint({
  name: 'sessions.create',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions',
  tag,
  summary: 'Create a session and queue its first turn',
  description:
    'Without a prompt nothing runs until somebody follows up. A repeat with an idempotency key that was used answers 200 with the session that key created, whatever else it says.',
  body: NewSession,
  answers: { 200: ReplayedSession, 201: CreatedSession },
  refusals: ['invalid_agent_root', 'invalid_model', 'invalid_placement'],
})

export const showSession = defineEndpoint({
  name: 'sessions.show',
  auth: 'api_key',
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
})

export const deleteSession = defineEndpoint({
  name: 'sessions.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/sessions/{id}',
  tag,
  summary: 'Delete a session for good, with everything it holds',
  params,
  answers: { 204: 'nothing' },
})

export const archiveSession = defineEndpoint({
  name: 'sessions.archive',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/archive',
  tag,
  summary: 'Move a session to the trash',
  description:
    'A running turn is ended. A clean clone is deleted soon after; one with work in it is kept until `trash_after`. Refused while messages are queued, unless `force` is sent.',
  params,
  body: ArchiveRequest,
  answers: { 200: ArchivedSession },
  refusals: ['cannot_archive', 'messages_queued'],
})

export const unarchiveSession = defineEndpoint({
  name: 'sessions.unarchive',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/unarchive',
  tag,
  summary: 'Restore a session from the trash',
  description: 'Its clone and conversation are put back where they are gone. It rests in `needs_input` afterwards.',
  params,
  answers: { 200: UnarchivedSession },
  refusals: ['not_archived', 'restore_failed'],
})

export const bulkArchiveSessions = defineEndpoint({
  name: 'sessions.bulk_archive',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/bulk_archive',
  tag,
  summary: 'Move many sessions to the trash',
  description: 'Each stands alone. Those that are unknown or archived already are passed over.',
  body: BulkArchiveRequest,
  answers: { 200: BulkArchived },
  refusals: ['missing_parameter'],
})

export const pauseSession = defineEndpoint({
  name: 'sessions.pause',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/pause',
  tag,
  summary: 'End the running turn and let the session rest',
  params,
  answers: { 200: OneSession },
  refusals: ['cannot_pause'],
})

export const sleepSession = defineEndpoint({
  name: 'sessions.sleep',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/sleep',
  tag,
  summary: 'Put a session to sleep',
  description: 'A resting session sleeps at once, a running one when its turn ends. A follow-up or a restart wakes it.',
  params,
  answers: { 200: OneSession },
  refusals: ['cannot_sleep'],
})

export const restartSession = defineEndpoint({
  name: 'sessions.restart',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/restart',
  tag,
  summary: 'Get a session going again',
  description:
    'A session that was never set up is set up anew; a prompt that never reached its agent is sent again; any other agent is told to go on. A running turn is ended first.',
  params,
  answers: { 200: SessionWithMessage },
  refusals: ['cannot_restart'],
})

export const forkSession = defineEndpoint({
  name: 'sessions.fork',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/fork',
  tag,
  summary: 'Begin a new session from a point of the conversation',
  description:
    'The fork keeps the messages up to and including `message_index`, and a copy of the clone as it is now. It rests in `needs_input`.',
  params,
  body: ForkRequest,
  answers: { 201: SessionWithMessage },
  refusals: ['missing_parameter', 'fork_failed'],
})

export const refreshSession = defineEndpoint({
  name: 'sessions.refresh',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/{id}/refresh',
  tag,
  summary: 'Read the transcript from disk again',
  description: 'Entries are only ever added: a file that has become shorter takes nothing away.',
  params,
  answers: { 200: SessionWithMessage },
  refusals: ['no_clone', 'no_transcript_files'],
})

export const refreshAllSessions = defineEndpoint({
  name: 'sessions.refresh_all',
  auth: 'api_key',
  method: 'POST',
  path: '/sessions/refresh_all',
  tag,
  summary: 'Tell every session that failed or rests to go on',
  description:
    'At most 50 failed or resting sessions are told to go on; of others the transcript is read again. Sessions that a person paused and those in a frozen category are left alone.',
  answers: { 200: RefreshedAll },
})

export const updateSession = defineEndpoint({
  name: 'sessions.update',
  auth: 'api_key',
  method: 'PATCH',
  isPutToo: true,
  path: '/sessions/{id}',
  tag,
  summary: 'Change a session; only the keys that are sent change',
  description:
    'A waiting session that becomes a priority one is started at once; `start` says what came of it. Other keys than these are dropped.',
  params,
  body: SessionChanges,
  answers: { 200: ChangedSession },
  refusals: ['invalid_placement'],
})

export const updateModel = defineEndpoint({
  name: 'sessions.update_model',
  auth: 'api_key',
  method: 'PATCH',
  path: '/sessions/{id}/model',
  tag,
  summary: 'Change the model that the next turn runs with',
  params,
  body: ModelChange,
  answers: { 200: SessionWithMessage },
  refusals: ['missing_parameter', 'invalid_parameter', 'invalid_model'],
})

export const endpoints = [
  createSession,
  showSession,
  deleteSession,
  archiveSession,
  unarchiveSession,
  bulkArchiveSessions,
  pauseSession,
  sleepSession,
  restartSession,
  forkSession,
  refreshSession,
  refreshAllSessions,
  updateSession,
  updateModel,
] as const
