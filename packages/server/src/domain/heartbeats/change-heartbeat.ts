import type { HeartbeatChange } from '@yardmaster/contract/heartbeats/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { lockSession, recordHeartbeatSettings, showRow } from '../sessions/session.ts'

export async function changeHeartbeat(app: App, ref: SessionRef, change: HeartbeatChange): Promise<Session> {
  const { enabled, interval_seconds } = change
  const columns = {
    ...(enabled !== undefined && { heartbeat_enabled: enabled }),
    ...(interval_seconds !== undefined && { heartbeat_interval_seconds: interval_seconds }),
  }
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    await recordHeartbeatSettings(tx, id, columns)
    return showRow(app, tx, { id })
  })
}
