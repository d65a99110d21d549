import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { PushSwitch } from '@yardmaster/contract/notifications/fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { findSession, lockSession } from '../sessions/session.ts'
import { pushSwitchChanged } from './events.ts'
import { deleteMuted, insertMuted, isMuted } from './muted-store.ts'

export async function showPushSwitch(app: App, ref: SessionRef): Promise<PushSwitch> {
  const { id } = await findSession(app.db, ref)
  return { session_id: id, push_notifications_enabled: !(await isMuted(app.db, id)) }
}

/** Without a value it turns to its other side. The session's row lock lets concurrent changes all take effect. */
export async function changePushSwitch(app: App, ref: SessionRef, enabled: boolean | undefined): Promise<PushSwitch> {
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    const wasOn = !(await isMuted(tx, id))
    const isOn = enabled ?? !wasOn
    if (isOn !== wasOn) {
      await (isOn ? deleteMuted(tx, id) : insertMuted(tx, id))
      const payload = { push_notifications_enabled: isOn }
      await app.events.publish(tx, pushSwitchChanged, { sessionId: id, payload })
    }
    return { session_id: id, push_notifications_enabled: isOn }
  })
}
