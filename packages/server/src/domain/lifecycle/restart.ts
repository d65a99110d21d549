import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  acceptTurn,
  findLastTurn,
  findStanding,
  type NewTurn,
  type Turn,
  wakeAdmission,
  withdrawLiveTurn,
} from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { acknowledge } from '../notifications/notification.ts'
import {
  clearWorkspace,
  lockSession,
  readMetadata,
  type SessionRow,
  showRow,
  type TransitionChanges,
  transition,
} from '../sessions/session.ts'
import { hasTranscript } from '../transcripts/transcript.ts'
import { recoveryPrompt } from './recovery-prompt.ts'
import { acceptNextMessage, resume, takeCharge } from './resume.ts'

export type Restarted = { session: Session; message: string }

/**
 * Restarts a session in any status but archived. Its next turn is the first of these that exists: a queued turn; a queued
 * message, such as a failed prompt that the agent never received; the last prompt, if the agent never received it or has
 * no conversation. Otherwise it is a recovery prompt.
 */
export async function restartSession(
  app: App,
  ref: SessionRef,
  { isByPerson = true, onlyIfFailed = false }: { isByPerson?: boolean; onlyIfFailed?: boolean } = {},
): Promise<Restarted> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    if (onlyIfFailed && session.status !== 'failed')
      refuse('cannot_restart', `Session is not failed: its status is ${session.status}`)
    if (session.status === 'archived') {
      refuse('cannot_restart', 'Session cannot be restarted from current status: archived. Unarchive it first.')
    }
    if (session.session_id === null && (await hasTranscript(tx, session.id))) {
      refuse('cannot_restart', 'Session has no session_id')
    }
    const message = await restartLocked(app, tx, session)
    if (isByPerson) {
      await takeCharge(tx, session.id)
      await acknowledge(app, tx, session.id)
    }
    return { session: await showRow(app, tx, { id: session.id }), message }
  })
}

/** The caller holds the session's row lock. Returns what happened. */
export async function restartLocked(
  app: App,
  tx: Transaction,
  session: SessionRow,
  changes: TransitionChanges = {},
): Promise<string> {
  await withdrawLiveTurn(tx, session.id, 'restart')
  if (session.status === 'running') await transition(app, tx, { sessionId: session.id, cause: 'withdraw' })
  const message = await startNextTurn(app, tx, { ...session, running_job_id: null }, changes)
  await note(app, tx, session.id, `${message}.`)
  return message
}

async function startNextTurn(
  app: App,
  tx: Transaction,
  session: SessionRow,
  changes: TransitionChanges,
): Promise<string> {
  const isSetUp = session.session_id !== null && readMetadata(session).runtime_started === true
  const message = isSetUp ? 'Session restarted' : 'Session restarted from scratch'
  // A session that has not failed may have a turn that is about to start or to stop in its workspace.
  const hasFailed = session.status === 'failed'
  if (!isSetUp && hasFailed) await clearWorkspace(tx, session.id)
  if (await startQueued(app, tx, session, changes)) return hasFailed ? message : 'Session restarted'
  if (!isSetUp) await clearWorkspace(tx, session.id)
  const last = await findLastTurn(tx, session.id)
  const turnId = await acceptTurn(tx, { sessionId: session.id, ...nextPrompt(session, last, isSetUp) })
  await resume(app, tx, session, turnId, changes)
  return message
}

/** Starts a queued turn or message. False if nothing is queued and no turn is stopping. */
async function startQueued(
  app: App,
  tx: Transaction,
  session: SessionRow,
  changes: TransitionChanges,
): Promise<boolean> {
  const { hasQueued, isStopping } = await findStanding(tx, session.id)
  const last = await findLastTurn(tx, session.id)
  if (hasQueued && last) {
    await resume(app, tx, session, last.id, changes)
    await wakeAdmission(tx, session.id)
    return true
  }
  const next = await acceptNextMessage(app, tx, session)
  if (next) {
    const { turnId, ...goal } = next
    await resume(app, tx, session, turnId, { ...changes, ...goal })
    return true
  }
  // Whether the agent received its prompt is known only after it has stopped: `end-turn` then starts the next turn.
  if (isStopping && last) await resume(app, tx, session, last.id, changes)
  return isStopping
}

/** A prompt that never reached its agent is sent again with its original source. */
function nextPrompt(
  session: SessionRow,
  last: Turn | undefined,
  isSetUp: boolean,
): Pick<NewTurn, 'source' | 'prompt' | 'goal' | 'messageId' | 'triggerId'> {
  if (isSetUp && last?.started_at !== null) return { source: 'recovery', prompt: recoveryPrompt, goal: null }
  if (!last) return { source: 'create', prompt: session.prompt ?? '', goal: null }
  const { source, prompt, goal, message_id: messageId, trigger_id: triggerId } = last
  return { source, prompt, goal, messageId, triggerId }
}
