import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/session'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import type { SessionRow } from '../sessions/session.ts'
import { findSession, lockSession, showRow, transition } from '../sessions/session.ts'
import { openWorkspace, WorkspaceFailed } from '../workspaces/workspace.ts'

export type Unarchived = { session: Session; cloneRestored: boolean; message: string }

/** Clone and conversation are put back first, so that a session that is answered for can be worked with. */
export async function unarchiveSession(app: App, ref: SessionRef): Promise<Unarchived> {
  const archived = await findSession(app.db, ref)
  if (archived.status !== 'archived') refuse('not_archived', 'Session is not in trash')
  const cloneRestored = await restoreWorkspace(app, archived)
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, { id: archived.id })
    const isFirst = session.status === 'archived'
    if (isFirst) {
      await transition(app, tx, { sessionId: session.id, cause: 'unarchive', with: { trash_after: null } })
      await note(app, tx, session.id, cloneRestored ? 'Unarchived; its clone was made again.' : 'Unarchived.')
    }
    return {
      session: await showRow(app, tx, { id: session.id }),
      cloneRestored: isFirst && cloneRestored,
      message:
        isFirst && cloneRestored ? 'Session restored from trash with clone restored' : 'Session restored from trash',
    }
  })
}

/** A session that never ran has nothing to restore. */
async function restoreWorkspace(app: App, session: SessionRow): Promise<boolean> {
  const runtime = app.runtimes.find(session.agent_runtime)
  if (session.session_id === null || !runtime) return false
  try {
    return (await openWorkspace(app, session, runtime)).isCloneNew
  } catch (error) {
    if (error instanceof WorkspaceFailed) refuse('restore_failed', error.message)
    throw error
  }
}
