import type { SessionRef } from '@yardmaster/contract/identifiers'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { statusSummaryChanged } from '../sessions/events.ts'
import { lockSession } from '../sessions/session.ts'
import { hasTranscript } from '../transcripts/transcript.ts'
import { insertRequest } from './summary-store.ts'

/** The request is a row before we answer, also for a text that is current. Answers with the id of the session. */
export async function requestSummary(app: App, ref: SessionRef): Promise<number> {
  return transact(app.db, async (tx) => {
    const { id, summary_of_session_id: summedUp } = await lockSession(tx, ref)
    if (summedUp !== null) refuse('cannot_summarise', 'The session is itself a summary of another')
    if (!(await hasTranscript(tx, id))) refuse('cannot_summarise', 'Session has no transcript yet')
    if (await insertRequest(tx, id))
      await app.events.publish(tx, statusSummaryChanged, { sessionId: id, payload: { state: 'pending' } })
    return id
  })
}
