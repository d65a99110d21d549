import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { withdrawQuestions } from '../elicitations/elicitation.ts'
import {
  findPendingMessages,
  findStanding,
  type Message,
  retireMessages,
  returnQueuedTurns,
  withdrawLiveTurn,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { acknowledge, notify } from '../notifications/notification.ts'
import { lockSession, type SessionRow, selectLastTransition, showRow, transition } from '../sessions/session.ts'
import { emptyTrashJob } from '../workspaces/empty-trash-job.ts'
import { tidyCloneJob } from '../workspaces/tidy-clone-job.ts'

const keptMs = 4 * 86_400_000
/** The job runs by the database's clock and `trash_after` is by the host's: it must not look too early. */
const clockToleranceMs = 60_000
/** Grace period before a clean clone is removed. An unarchive within it finds all files in place. */
const undoMs = 10_000

/** The session whose agent asks for it; none for a person or an API key. */
export type Asker = { agentOf?: number | undefined }

/** Archives a session. The check for queued messages and the archive happen under the same row lock. */
export async function archiveSession(app: App, ref: SessionRef, request: { force: boolean } & Asker): Promise<Session> {
  return transact(app.db, async (tx) => archiveLocked(app, tx, await lockSession(tx, ref), request))
}

/** For a sweep: archives only a session that nothing has changed since and that has nothing to do. */
export async function archiveIdleSession(app: App, id: number, { since }: { since: Date }): Promise<void> {
  await transact(app.db, async (tx) => {
    const session = await lockSession(tx, { id })
    const { underway, hasQueued, isStopping } = await findStanding(tx, id)
    if (session.status === 'running' || underway || hasQueued || isStopping)
      refuse('cannot_archive', 'It has a turn that runs or waits to run')
    if (session.updated_at > since) refuse('cannot_archive', 'It has changed meanwhile')
    await archiveLocked(app, tx, session, { force: false })
  })
}

/** For a caller that holds the session's row lock. */
export async function archiveLocked(
  app: App,
  tx: Transaction,
  session: SessionRow,
  { force, agentOf }: { force: boolean } & Asker,
): Promise<Session> {
  if (session.status === 'archived') refuse('cannot_archive', 'Session cannot be trashed from current status: archived')
  const pending = await findPendingMessages(tx, session.id)
  if (pending.length > 0 && !force) refuse('messages_queued', refusalText(pending))
  await withdrawLiveTurn(tx, session.id, 'archive')
  // Queued turns go back to the message queue first, so that their prompts are retired together with the messages.
  await returnQueuedTurns(tx, session.id, 'archive')
  const retired = await retireMessages(tx, session.id)
  const now = app.clock.now()
  const trashAfter = new Date(now.getTime() + keptMs)
  await transition(app, tx, {
    sessionId: session.id,
    cause: 'archive',
    with: { trash_after: trashAfter },
  })
  await withdrawQuestions(app, tx, session)
  await note(app, tx, session.id, archivedText(app, retired), retired.length > 0 ? 'warning' : 'info')
  if (agentOf === undefined) await acknowledge(app, tx, session.id)
  if (session.id === agentOf) await announceCompletion(app, tx, session)
  const { id: sessionId, host_id: hostId } = session
  if (hostId !== null) {
    await enqueue(tx, tidyCloneJob, { sessionId }, { hostId, delayMs: undoMs })
    await enqueue(tx, emptyTrashJob, { sessionId }, { hostId, delayMs: keptMs + clockToleranceMs })
  }
  return showRow(app, tx, { id: session.id })
}

/** An agent that archives its own session has finished, and no person knows of it. */
async function announceCompletion(app: App, tx: Transaction, session: SessionRow): Promise<void> {
  const body = `${session.title ?? `Session ${session.id}`} has finished`
  const { id: transition } = (await selectLastTransition(tx, session.id)) ?? {}
  await notify(app, tx, { session, type: 'session_complete', body, marker: `transition:${transition}` })
}

function refusalText(pending: readonly Message[]): string {
  const count = pending.length === 1 ? '1 queued message' : `${pending.length} queued messages`
  return [
    `Archiving would discard ${count}:`,
    ...pending.map(({ position, content }) => `${position}. ${content.slice(0, 160)}`),
    'Let the session work through them, or delete them, or send "force": true to discard them.',
  ].join('\n')
}

/** The log line names so many of the messages. */
const namedAtMost = 50

/** Redact before truncating: a truncated secret no longer matches its pattern. */
function archivedText(app: App, retired: readonly Message[]): string {
  if (retired.length === 0) return 'Archived.'
  const count = retired.length === 1 ? '1 queued message was' : `${retired.length} queued messages were`
  const texts = retired.slice(0, namedAtMost).map(({ content }) => app.redactor.excerpt(content))
  const rest = retired.length > namedAtMost ? [`and ${retired.length - namedAtMost} more`] : []
  return [`Archived. ${count} not delivered:`, ...texts.map((text) => `- ${text.slice(0, 120)}`), ...rest].join('\n')
}
