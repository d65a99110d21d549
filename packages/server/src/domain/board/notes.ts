import type { NotesChange } from '@yardmaster/contract/board/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { z } from 'zod'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { lockSession, recordNotes, showRow } from '../sessions/session.ts'

type Change = z.output<typeof NotesChange>

export async function changeNotes(app: App, ref: SessionRef, { session_notes, replaces }: Change): Promise<Session> {
  return transact(app.db, async (tx) => {
    const { id, session_notes: stored } = await lockSession(tx, ref)
    // The same text again is no conflict: the answer to the first request may have been lost.
    if (replaces !== undefined && stored !== replaces && stored !== session_notes)
      refuse('notes_changed', 'The notes have changed since they were read')
    await recordNotes(tx, id, { text: session_notes, at: session_notes === null ? null : app.clock.now() })
    return showRow(app, tx, { id })
  })
}
