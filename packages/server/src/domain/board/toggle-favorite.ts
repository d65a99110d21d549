import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { lockSession, recordFavorite, showRow } from '../sessions/session.ts'

/** Reads and writes under the session's row lock, so concurrent toggles all take effect. */
export async function toggleFavorite(app: App, ref: SessionRef): Promise<Session> {
  return transact(app.db, async (tx) => {
    const { id, favorited } = await lockSession(tx, ref)
    await recordFavorite(tx, id, !favorited)
    return showRow(app, tx, { id })
  })
}
