import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { newRunMarker } from '../../platform/process/run-marker.ts'
import type { App } from '../app.ts'
import { claimTurn, newTurnKey, type Turn, type TurnHold, turnKeyDigest } from '../inbox/inbox.ts'
import { lockSessionIfThere, recordClaim, type SessionRow } from '../sessions/session.ts'

/** A turn that this host has taken, with what it needs to run it. */
export type Claim = {
  hold: TurnHold
  turn: Turn
  session: SessionRow
  /** With which its agent speaks to the service. */
  key: string
}

/**
 * From here on the session belongs to this host's disk. Whether an attempt that broke off was committed shows by the
 * marker: had it been and were we to leave, nobody would run what the row says is running.
 */
export async function takeTurn(
  app: App,
  { turnId, sessionId }: { turnId: string; sessionId: number },
): Promise<Claim | undefined> {
  const hold = { turnId, owner: app.home.hostId, marker: newRunMarker() }
  const key = newTurnKey()
  return untilReachable(() =>
    transact(app.db, async (tx) => {
      // Session before turn, as everybody does: two orders would be a deadlock.
      const session = await lockSessionIfThere(tx, { id: sessionId })
      const turn = session && (await claimTurn(tx, hold, turnKeyDigest(key)))
      if (!turn) return undefined
      // One that was withdrawn on its way here is taken only to be ended.
      const isWanted = turn.withdrawn_by === null
      await recordClaim(tx, session.id, { hostId: hold.owner, ...(isWanted && { turnId: turn.id }) })
      return { hold, turn, session, key }
    }),
  )
}
