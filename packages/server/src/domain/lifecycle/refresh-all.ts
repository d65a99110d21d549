import { limits } from '@yardmaster/contract/limits'
import { transact } from '../../platform/db/transact.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { acceptTurn, findStanding, hasPendingMessages } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { lockSession, selectRefreshable } from '../sessions/session.ts'
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
 * Gets the house going after trouble: failed sessions first, then those that rest without a person having said so, the
 * more important before the others; of the rest the transcripts are read on. Parked sessions are left alone.
 */
export async function refreshAll(app: App): Promise<RefreshOutcome> {
  const outcome = { refreshed: 0, restarted: 0, continued: 0, errors: 0 }
  const failed = await selectRefreshable(app.db, 'failed', limits.refreshAll)
  const resting = await selectRefreshable(app.db, 'resting', limits.refreshAll - failed.length)
  const others = await selectRefreshable(app.db, 'at_work', limits.refreshAll)
  if (failed.length + resting.length + others.length === 0) {
    return { message: 'No non-archived sessions to refresh', ...outcome }
  }
  const attempt = async (kind: 'refreshed' | 'restarted' | 'continued', id: number, act: Act): Promise<void> => {
    try {
      if (await act(app, id)) outcome[kind] += 1
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'not_found') return
      outcome.errors += 1
      app.log.warn({ sessionId: id, reason: String(error) }, 'a session could not be refreshed')
    }
  }
  for (const id of failed) await attempt('restarted', id, restartIfFailed)
  for (const id of resting) await attempt('continued', id, tellToGoOn)
  for (const id of others) await attempt('refreshed', id, readOn)
  return { message: 'Refresh complete', ...outcome }
}

type Act = (app: App, id: number) => Promise<boolean>

const restartIfFailed: Act = async (app, id) => {
  await restartSession(app, { id })
  return true
}

/** Decided anew under its lock: it may have been spoken to since it was found. */
const tellToGoOn: Act = (app, id) =>
  transact(app.db, async (tx) => {
    const session = await lockSession(tx, { id })
    const { underway, hasQueued, isStopping } = await findStanding(tx, id)
    const isLeftAlone = session.status !== 'needs_input' || session.metadata.paused_by === 'user'
    if (isLeftAlone || underway || hasQueued || isStopping || (await hasPendingMessages(tx, id))) return false
    const turnId = await acceptTurn(tx, { sessionId: id, source: 'recovery', prompt: recoveryPrompt, goal: null })
    await resume(app, tx, session, turnId)
    await note(app, tx, id, 'Told to go on by a refresh of all sessions.')
    return true
  })

/** A session without a clone or a file yet has nothing to read. */
const readOn: Act = async (app, id) => {
  try {
    return (await refreshTranscript(app, { id })).appended > 0
  } catch (error) {
    if (error instanceof Refusal && ['no_clone', 'no_transcript_files'].includes(error.kind)) return false
    throw error
  }
}
