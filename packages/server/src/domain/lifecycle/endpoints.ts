import { SessionRef } from '@yardmaster/contract/identifiers'
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
} from '@yardmaster/contract/lifecycle/fields'
import { queryBoolean } from '@yardmaster/contract/query'
import { CreatedSession, NewSession, ReplayedSession, ShownSession } from '@yardmaster/contract/sessions/fields'
import { wholeNumber } from '@yardmaster/contract/whole-number'
import { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import { created, noContent, ok } from '../../platform/http/answer.ts'
import { refuse } from '../../platform/refusal.ts'
import { defineEndpoint } from '../app.ts'
import { findByIdempotencyKey, showRow } from '../sessions/session.ts'
import { archiveSession } from './archive.ts'
import { archiveMany } from './bulk-archive.ts'
import { createSession, planSession } from './create/create-session.ts'
import { deleteSession } from './delete.ts'
import { forkSession } from './fork.ts'
import { pauseSession } from './pause.ts'
import { refreshTranscript } from './refresh.ts'
import { refreshAll } from './refresh-all.ts'
import { restartSession } from './restart.ts'
import { showSession } from './show.ts'
import { putToSleep } from './sleep.ts'
import { unarchiveSession } from './unarchive.ts'

const tag = 'Sessions'
const params = z.object({ id: SessionRef })

export const endpoints = [
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
      const plan = await planSession(app, request.body)
      const { session, isReplay, warnings } = await transact(app.db, (tx) =>
        createSession(app, tx, { genesis: 'api' }, plan),
      )
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
    handle: async ({ params, body }, app) => {
      const session = await archiveSession(app, params.id, body)
      return ok({ session, message: 'Session moved to trash', trash_after: session.trash_after })
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/unarchive',
    tag,
    summary: 'Restore a session from the trash',
    description: 'Its clone and conversation are put back where they are gone. It rests in `needs_input` afterwards.',
    params,
    answers: { 200: UnarchivedSession },
    refusals: ['not_archived', 'restore_failed'],
    handle: async ({ params }, app) => {
      const { session, cloneRestored, message } = await unarchiveSession(app, params.id)
      return ok({ session, clone_restored: cloneRestored, message })
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/bulk_archive',
    tag,
    summary: 'Move many sessions to the trash',
    description: 'Each stands alone. Those that are unknown or archived already are passed over.',
    body: BulkArchiveRequest,
    answers: { 200: BulkArchived },
    refusals: ['missing_parameter'],
    handle: async ({ body }, app) => ok(await archiveMany(app, body.session_ids, body)),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/pause',
    tag,
    summary: 'End the running turn and let the session rest',
    params,
    answers: { 200: OneSession },
    refusals: ['cannot_pause'],
    handle: async ({ params }, app) => ok({ session: await pauseSession(app, params.id) }),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/sleep',
    tag,
    summary: 'Put a session to sleep',
    description:
      'A resting session sleeps at once, a running one when its turn ends. A follow-up or a restart wakes it.',
    params,
    answers: { 200: OneSession },
    refusals: ['cannot_sleep'],
    handle: async ({ params }, app) => ok({ session: await putToSleep(app, params.id) }),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/restart',
    tag,
    summary: 'Get a session going again',
    description:
      'A session that was never set up is set up anew; a prompt that never reached its agent is sent again; any other agent is told to go on. A running turn is ended first.',
    params,
    answers: { 200: SessionWithMessage },
    refusals: ['cannot_restart'],
    handle: async ({ params }, app) => ok(await restartSession(app, params.id)),
  }),
  defineEndpoint({
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
    handle: async ({ params, body }, app) =>
      created({
        session: await forkSession(app, params.id, readMessageIndex(body.message_index)),
        message: 'Session forked successfully',
      }),
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/{id}/refresh',
    tag,
    summary: 'Read the transcript from disk again',
    description: 'Entries are only ever added: a file that has become shorter takes nothing away.',
    params,
    answers: { 200: SessionWithMessage },
    refusals: ['no_clone', 'no_transcript_files'],
    handle: async ({ params }, app) => {
      const { sessionId, entryCount, isFileShorter } = await refreshTranscript(app, params.id)
      const message = isFileShorter
        ? `The stored transcript was kept (${entryCount} messages): the file on disk is shorter`
        : `Transcript refreshed (${entryCount} messages)`
      return ok({ session: await showRow(app, app.db, { id: sessionId }), message })
    },
  }),
  defineEndpoint({
    method: 'POST',
    path: '/sessions/refresh_all',
    tag,
    summary: 'Tell every session that failed or rests to go on',
    description:
      'At most 50 failed or resting sessions are told to go on; of others the transcript is read again. Sessions that a person paused and those in a frozen category are left alone.',
    answers: { 200: RefreshedAll },
    handle: async (_request, app) => ok(await refreshAll(app)),
  }),
]

function readMessageIndex(said: unknown): number {
  if (said === undefined || said === null || said === '') refuse('missing_parameter', 'message_index is required')
  return wholeNumber(said) ?? refuse('validation_failed', 'Message index must be an integer of at least 0')
}
