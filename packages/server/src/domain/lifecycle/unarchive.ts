import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session } from '@yardmaster/contract/sessions/fields'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { findSession, lockSession, showRow, transition } from '../sessions/session.ts'
import { openWorkspace, WorkspaceFailed } from '../workspaces/workspace.ts'
import { type HostOperation, onHostOf } from './on-host.ts'
import { restoreWorkspaceJob } from './restore-workspace-job.ts'

export type Unarchived = { session: Session; cloneRestored: boolean; message: string }

/** Restores clone and conversation first, so that the session can be worked with when the caller is answered. */
export async function unarchiveSession(app: App, ref: SessionRef): Promise<Unarchived> {
  const archived = await findSession(app.db, ref)
  if (archived.status !== 'archived') refuse('not_archived', 'Session is not in trash')
  // A session that never ran has no files to restore.
  const { isCloneNew } =
    archived.session_id === null
      ? { isCloneNew: false }
      : await onHostOf(app, archived, restoreOnHost, { sessionId: archived.id })
  return transact(app.db, async (tx) => {
    const session = await lockSession(tx, { id: archived.id })
    const isFirst = session.status === 'archived'
    if (isFirst) {
      await transition(app, tx, { sessionId: session.id, cause: 'unarchive', with: { trash_after: null } })
      await note(app, tx, session.id, isCloneNew ? 'Unarchived; the clone was recreated.' : 'Unarchived.')
    }
    const cloneRestored = isFirst && isCloneNew
    return {
      session: await showRow(app, tx, { id: session.id }),
      cloneRestored,
      message: cloneRestored ? 'Session restored from trash with clone restored' : 'Session restored from trash',
    }
  })
}

export const restoreOnHost: HostOperation<{ sessionId: number }, { isCloneNew: boolean }> = {
  job: restoreWorkspaceJob,
  perform: restoreHere,
  ifHostIsDown: 'use_any_host',
}

async function restoreHere(app: App, { sessionId }: { sessionId: number }): Promise<{ isCloneNew: boolean }> {
  const session = await findSession(app.db, { id: sessionId })
  const runtime = app.runtimes.find(session.agent_runtime)
  if (!runtime) return { isCloneNew: false }
  try {
    const { isCloneNew } = await openWorkspace(app, session, runtime, { write: (work) => transact(app.db, work) })
    return { isCloneNew }
  } catch (error) {
    if (error instanceof WorkspaceFailed) refuse('restore_failed', error.message)
    throw error
  }
}
