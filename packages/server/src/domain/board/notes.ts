import type { SessionRef } from '@yardmaster/contract/identifiers'
import { limits } from '@yardmaster/contract/limits'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { isAtMost } from '@yardmaster/contract/text'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lockSession, recordNotes, showRow } from '../sessions/session.ts'

export async function changeNotes(app: App, ref: SessionRef, said: unknown): Promise<Session> {
  const text = readNotes(said)
  return transact(app.db, async (tx) => {
    const { id } = await lockSession(tx, ref)
    await recordNotes(tx, id, { text, at: text === null ? null : app.clock.now() })
    return showRow(app, tx, { id })
  })
}

function readNotes(said: unknown): string | null {
  if (said === undefined) return refuse('missing_parameter', 'session_notes is required')
  if (said === null || said === '') return null
  if (typeof said !== 'string') return refuse('validation_failed', 'Session notes must be a string')
  if (isAtMost(said, limits.sessionNotes)) return said
  const maximum = limits.sessionNotes.toLocaleString('en-US')
  return refuse('notes_too_long', `Notes are too long (maximum ${maximum} characters)`)
}
