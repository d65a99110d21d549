import type { SessionRef } from '@yardmaster/contract/identifiers'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { statusSummaryChanged } from '../sessions/events.ts'
import { lockSession } from '../sessions/session.ts'
import { hasTranscript } from '../transcripts/transcript.ts'
import { insertRequest } from './summary-store.ts'

/** Stores the request before the answer, even when the current summary is up to date. Returns the session's id. */
export async function requestSummary(app: App, ref: SessionRef): Promise<number> {
  return transact(app.db, async (tx) => {
    const { id, summary_of_session_id: summarised } = await lockSession(tx, ref)
    if (summarised !== null) refuse('cannot_summarise', 'The session is itself a summary of another')
    if (!(await hasTranscript(tx, id))) refuse('cannot_summarise', 'Session has no transcript yet')
    if (await insertRequest(tx, id))
      await app.events.publish(tx, statusSummaryChanged, { sessionId: id, payload: { state: 'pending' } })
    return id
  })
}
