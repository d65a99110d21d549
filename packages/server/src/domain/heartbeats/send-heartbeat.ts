import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { startTurn } from '../conversation/conversation.ts'
import { hasPendingMessages } from '../inbox/inbox.ts'
import { note } from '../logs/log.ts'
import { recordHeartbeatSent, recordHeartbeatSettings } from '../sessions/session.ts'
import { lockDueHeart } from './heartbeat-store.ts'

/** Recognisable by its first words, so that nothing mistakes it for what a person said. */
const heartbeatPrompt =
  '[Automated message from Yardmaster, not from a person] Heartbeat: go on with your task. If there is nothing left to do or you are stuck, say so and turn the heartbeat off.'

/**
 * One beat of a session's heart, if it is due: a session that rests is told to go on, unless a person told it to rest or
 * a message waits for it. Whatever comes of it, the next is due an interval later.
 */
export async function beat(app: App, sessionId: number): Promise<boolean> {
  return transact(app.db, async (tx) => {
    const session = await lockDueHeart(tx, sessionId)
    if (!session) return false
    await recordHeartbeatSent(tx, session.id)
    if (session.status === 'archived') {
      await recordHeartbeatSettings(tx, session.id, { heartbeat_enabled: false })
      await note(app, tx, session.id, 'The heartbeat was turned off because the session is archived.')
      return false
    }
    const isLeftAlone = session.metadata.paused_by === 'user' || (await hasPendingMessages(tx, session.id))
    if (session.status !== 'needs_input' || isLeftAlone) return false
    await startTurn(app, tx, session, { prompt: heartbeatPrompt, goal: null, source: 'heartbeat' })
    return true
  })
}
