import type { RefreshChoice } from '@yardmaster/contract/lifecycle/fields'
import { limits } from '@yardmaster/contract/limits'
import { transact } from '../../platform/db/transact.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { acceptTurn, findStanding, hasPendingMessages } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { lockSession, readMetadata, selectRefreshable } from '../sessions/session.ts'
import { recoveryPrompt } from './recovery-prompt.ts'
import { refreshTranscript } from './refresh.ts'
import { restartSession } from './restart.ts'
import { resume } from './resume.ts'

export type RefreshOutcome = {
  message: string
  refreshed: number
  restarted: number
  continued: number
  errors: number
}

/**
 * Restarts failed sessions, prompts resting sessions that no person paused to continue, and reads the new transcript
 * entries of the others: of all sessions, or of those that the choice names. Higher precedence goes first. Sessions in frozen categories are left out.
 */
export async function refreshAll(app: App, choice: RefreshChoice): Promise<RefreshOutcome> {
  const outcome = { refreshed: 0, restarted: 0, continued: 0, errors: 0 }
  const failed = await selectRefreshable(app.db, 'failed', choice, limits.refreshAll)
  const resting = await selectRefreshable(app.db, 'resting', choice, limits.refreshAll - failed.length)
  const others = await selectRefreshable(app.db, 'at_work', choice, limits.refreshAll)
  if (failed.length + resting.length + others.length === 0) {
    return { message: 'No non-archived sessions to refresh', ...outcome }
  }
  const attempt = async (kind: 'refreshed' | 'restarted' | 'continued', id: number, act: Action): Promise<void> => {
    try {
      if (await act(app, id)) outcome[kind] += 1
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'not_found') return
      outcome.errors += 1
      app.log.warn({ session_id: id, reason: String(error) }, 'refresh_all could not refresh a session')
    }
  }
  for (const id of failed) await attempt('restarted', id, restart)
  for (const id of resting) await attempt('continued', id, promptToContinue)
  for (const id of others) await attempt('refreshed', id, readNewEntries)
  return { message: 'Refresh complete', ...outcome }
}

type Action = (app: App, id: number) => Promise<boolean>

const restart: Action = async (app, id) => {
  await restartSession(app, { id }, { isByPerson: false })
  return true
}

/** Checks again under the session's row lock: it may have got a prompt since it was selected. */
const promptToContinue: Action = (app, id) =>
  transact(app.db, async (tx) => {
    const session = await lockSession(tx, { id })
    const { underway, hasQueued, isStopping } = await findStanding(tx, id)
    const isExcluded = session.status !== 'needs_input' || readMetadata(session).paused_by === 'user'
    if (isExcluded || underway || hasQueued || isStopping || (await hasPendingMessages(tx, id))) return false
    const turnId = await acceptTurn(tx, { sessionId: id, source: 'recovery', prompt: recoveryPrompt, goal: null })
    await resume(app, tx, session, turnId)
    await note(app, tx, id, 'A refresh of all sessions told the agent to continue.')
    return true
  })

/** A session without a clone or a transcript file has nothing to read. */
const readNewEntries: Action = async (app, id) => {
  try {
    return (await refreshTranscript(app, { id })).appended > 0
  } catch (error) {
    if (error instanceof Refusal && ['no_clone', 'no_transcript_files'].includes(error.kind)) return false
    throw error
  }
}
