import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { lockSession, recordNotes, showRow } from '../sessions/session.ts'

export async function changeNotes(app: App, ref: SessionRef, text: string | null): Promise<Session> {
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    await recordNotes(tx, id, { text, at: text === null ? null : app.clock.now() })
    return showRow(app, tx, { id })
  })
}
