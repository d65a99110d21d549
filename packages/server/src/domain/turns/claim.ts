import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { newRunMarker } from '../../platform/process/run-marker.ts'
import type { App } from '../app.ts'
import { claimTurn, newTurnKey, type Turn, type TurnHold, turnKeyDigest } from '../inbox/inbox.ts'
import { lockSessionIfThere, recordClaim, type SessionRow } from '../sessions/session.ts'

/** A turn that this host has claimed, with what it needs to run it. */
export type Claim = {
  hold: TurnHold
  turn: Turn
  session: SessionRow
  /** The API key of the turn's agent. */
  key: string
}

/**
 * Binds the session to this host. Every retry uses the same marker, so that an attempt whose commit succeeded but whose
 * answer was lost claims the turn again. Otherwise the row would say `executing` and no host would run it.
 */
export async function claimDispatchedTurn(
  app: App,
  { turnId, sessionId }: { turnId: string; sessionId: number },
): Promise<Claim | undefined> {
  const hold = { turnId, owner: app.home.hostId, marker: newRunMarker() }
  const key = newTurnKey()
  return untilReachable(() =>
    transact(app.db, async (tx) => {
      // Every transaction locks the session before the turn, which avoids deadlocks.
      const session = await lockSessionIfThere(tx, { id: sessionId })
      const turn = session && (await claimTurn(tx, hold, turnKeyDigest(key)))
      if (!turn) return undefined
      // A turn that was withdrawn after its dispatch is claimed only to be ended.
      const isRunnable = turn.withdrawn_by === null
      await recordClaim(tx, session.id, { hostId: hold.owner, ...(isRunnable && { turnId: turn.id }) })
      return { hold, turn, session, key }
    }),
  )
}
