import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { returnQueuedTurns } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import {
  lockSession,
  readMetadata,
  recordPendingSleep,
  type SessionRow,
  showRow,
  transition,
} from '../sessions/session.ts'

/** A resting session sleeps at once, a running one when its turn ends. Any resume wakes it. */
export async function putToSleep(app: App, ref: SessionRef): Promise<Session> {
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, ref)
    if (!(await sleepUntilWoken(app, tx, session)))
      refuse('cannot_sleep', `Session must be in needs_input or running state to sleep (current: ${session.status})`)
    return showRow(app, tx, { id: session.id })
  })
}

/** As `putToSleep`, under the session's row lock that the caller holds. False if its status has nothing to put to sleep. */
export async function sleepUntilWoken(app: App, tx: Transaction, session: SessionRow): Promise<boolean> {
  const now = app.clock.now()
  if (session.status === 'running' || readMetadata(session).blocked_on_elicitation) {
    await recordPendingSleep(tx, session.id, now)
    await note(app, tx, session.id, 'Goes to sleep when the running turn ends.')
    return true
  }
  if (session.status !== 'needs_input') return false
  // A pause can leave queued turns. A sleeping session must not run them.
  await returnQueuedTurns(tx, session.id, 'pause')
  await transition(app, tx, {
    sessionId: session.id,
    cause: 'sleep',
    with: { metadata: { deliberate_sleep_at: formatTimestamp(now) } },
  })
  await note(app, tx, session.id, 'Asleep until the next prompt.')
  return true
}
