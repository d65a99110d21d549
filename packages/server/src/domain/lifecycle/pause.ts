import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { release } from '../elicitations/elicitation.ts'
import { withdrawLiveTurn } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { lockSession, readMetadata, showRow, transition } from '../sessions/session.ts'

/** Stops the agent at once. Queued messages stay queued until the next prompt or restart. */
export async function pauseSession(app: App, ref: SessionRef): Promise<Session> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    // An agent that waits for a person has a running turn too. Its questions are withdrawn when the turn has ended.
    if (readMetadata(session).blocked_on_elicitation) await release(app, tx, session)
    else if (session.status !== 'running') refuse('cannot_pause', 'Session is not running')
    await withdrawLiveTurn(tx, session.id, 'pause')
    await transition(app, tx, {
      sessionId: session.id,
      cause: 'pause',
      with: { metadata: { paused_by: 'user' } },
    })
    await note(app, tx, session.id, 'Paused: the running turn was stopped.')
    return showRow(app, tx, { id: session.id })
  })
}
