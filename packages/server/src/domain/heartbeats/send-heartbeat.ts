import { transact } from '../../platform/db/transact.ts'
import { automatedMessage } from '../../runtimes/automated-message.ts'
import type { App } from '../app.ts'
import { startTurn } from '../conversation/conversation.ts'
import { findNextWake, hasPendingMessages } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { readMetadata, recordHeartbeatSent, recordHeartbeatSettings } from '../sessions/session.ts'
import { lockDueHeartbeat } from './heartbeat-store.ts'

/** The first words say that no person wrote it. */
const heartbeatPrompt = automatedMessage(
  'Heartbeat: go on with your task. If there is nothing left to do or you are stuck, say so and turn the heartbeat off.',
)

/**
 * Prompts a session in `needs_input` to continue, if its heartbeat is due. Sends nothing when a person paused the session or is
 * asked a question, a queued message is pending or a wake is armed. The next heartbeat is due one interval later in every case. Returns whether it sent one.
 */
export async function sendHeartbeat(app: App, sessionId: number): Promise<boolean> {
  return transact(app.db, async (tx) => {
    const session = await lockDueHeartbeat(tx, sessionId)
    if (!session) return false
    await recordHeartbeatSent(tx, session.id)
    if (session.status === 'archived') {
      await recordHeartbeatSettings(tx, session.id, { heartbeat_enabled: false })
      await note(app, tx, session.id, 'The heartbeat was turned off because the session is archived.')
      return false
    }
    const { paused_by: pausedBy, blocked_on_elicitation: isBlocked } = readMetadata(session)
    const isLeftAlone =
      pausedBy === 'user' ||
      isBlocked ||
      (await hasPendingMessages(tx, session.id)) ||
      (await findNextWake(tx, session.id)) !== undefined
    if (session.status !== 'needs_input' || isLeftAlone) return false
    await startTurn(app, tx, session, { prompt: heartbeatPrompt, goal: null, source: 'heartbeat' })
    return true
  })
}
