import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { SessionRef } from '../identifiers.ts'
import { queryBoolean } from '../query.ts'
import { CreatedSession, IdempotencyKey, NewSession, ReplayedSession, ShownSession } from '../sessions/fields.ts'
import {
  ArchivedSession,
  ArchiveRequest,
  BulkArchived,
  BulkArchiveRequest,
  ForkRequest,
  OneSession,
  RefreshChoice,
  RefreshedAll,
  SessionWithMessage,
  UnarchivedSession,
} from './fields.ts'
import { ChangedSession, ModelChange, SessionChanges } from './session-changes.ts'

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
    'Without a prompt nothing runs until a follow-up comes. A repeat with a used idempotency key answers 200 with the session that the key created, whatever the rest of the body says.',
  body: NewSession,
  early: IdempotencyKey,
  answers: { 200: ReplayedSession, 201: CreatedSession },
  refusals: ['invalid_agent_root', 'invalid_model', 'invalid_placement', 'too_many_children'],
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
  description: 'Its clone and conversation are restored where they are gone. Its status is `needs_input` afterwards.',
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
  description: 'Each is archived independently. Already archived ones are skipped; `errors` names unknown ones.',
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
  summary: 'End the running turn and pause the session',
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
  summary: 'Restart a session',
  description:
    'A session whose setup never finished is set up again; a prompt that never reached its agent is sent again; any other agent gets a prompt to continue. A running turn is ended first.',
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
  summary: 'Fork a session at a message of its conversation',
  description:
    'The fork keeps the messages up to and including `message_index`, and a copy of the clone as it is now. Its status is `needs_input`.',
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
  description: 'Entries are only added: a file that became shorter removes none.',
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
  summary: 'Continue every session that failed or rests',
  description:
    'Continues at most 50 failed or resting sessions, and reads the transcripts of the others again: of all sessions, of one category, or of the favourites. Sessions that a person paused and those in a frozen category are left alone.',
  body: RefreshChoice,
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
    'A waiting session that becomes a priority one is started at once; `start` says with what result. Unknown keys are dropped.',
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
