import type { Transaction } from '../../platform/db/database.ts'
import type { App } from '../app.ts'
import type { ServerToAuthorize } from '../catalog/catalog.ts'
import { findLastTurn, findStanding, hasPendingMessages } from '../inbox/inbox.ts'
import { restartLocked } from '../lifecycle/lifecycle.ts'
import { note } from '../logs/log.ts'
import {
  readMetadata,
  recordSignInNeed,
  type SessionRow,
  type TransitionChanges,
  transition,
} from '../sessions/session.ts'

/** Whether the session waits until people authorize its servers. */
export function isParked(session: Pick<SessionRow, 'status' | 'metadata'>): boolean {
  return session.status === 'failed' && readMetadata(session).failure_reason === 'oauth_required'
}

type Parked = {
  session: SessionRow
  /** The servers that still need a person. */
  servers: ServerToAuthorize[]
  /** For the session's log. */
  why: string
  changes?: TransitionChanges
}

/**
 * Resumes a parked session that waits for no server any more; otherwise records for which servers it waits. The caller holds the row
 * lock and has found the session parked under it, so a session is resumed once. Returns whether it was resumed.
 */
export async function resumeParked(app: App, tx: Transaction, parked: Parked): Promise<boolean> {
  const { session, servers, why, changes = {} } = parked
  if (servers.length > 0) {
    await recordSignInNeed(tx, session.id, servers)
    return false
  }
  if (await hasNothingToDo(tx, session)) {
    await transition(app, tx, { sessionId: session.id, cause: 'authorized', with: changes })
    await note(app, tx, session.id, `${why} The session needs input.`)
    return true
  }
  await restartLocked(app, tx, session, changes)
  await note(app, tx, session.id, `${why} The session goes on.`)
  return true
}

/** It was parked at rest: its last turn, if it had one, ended well, and no prompt waits. */
async function hasNothingToDo(tx: Transaction, { id }: SessionRow): Promise<boolean> {
  const { hasQueued, isStopping } = await findStanding(tx, id)
  const last = await findLastTurn(tx, id)
  const hasEndedWell = last === undefined || last.outcome === 'completed'
  return !hasQueued && !isStopping && hasEndedWell && !(await hasPendingMessages(tx, id))
}
