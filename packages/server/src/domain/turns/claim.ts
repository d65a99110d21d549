import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { newRunMarker } from '../../platform/process/run-marker.ts'
import type { App } from '../app.ts'
import { claimTurn, type Turn, type TurnHold } from '../inbox/inbox.ts'
import { lockSession, type SessionRow, updateSession } from '../sessions/session.ts'

/** A turn that this host has taken, with what it needs to run it. */
export type Claim = { hold: TurnHold; turn: Turn; session: SessionRow; marker: string }

/**
 * From here on the session belongs to this host's disk. Whether an attempt that broke off was committed shows by the
 * marker: had it been and were we to leave, nobody would run what the row says is running.
 */
export async function takeTurn(app: App, hold: TurnHold): Promise<Claim | undefined> {
  const marker = newRunMarker()
  return untilReachable(() =>
    transact(app.db, async (tx) => {
      const turn = await claimTurn(tx, hold, marker)
      if (!turn) return undefined
      const session = await lockSession(tx, { id: turn.session_id })
      await updateSession(tx, session.id, { host_id: hold.owner, running_job_id: turn.id })
      return { hold, turn, session, marker }
    }),
  )
}
