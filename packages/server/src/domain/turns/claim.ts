import type { Transaction } from '../../platform/db/database.ts'
import { type Transact, transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { newRunMarker } from '../../platform/process/run-marker.ts'
import type { App } from '../app.ts'
import { issueToken } from '../elicitations/elicitation.ts'
import { turnStarted } from '../inbox/events.ts'
import { claimTurn, newTurnKey, type Turn, type TurnHold, transactHeld, turnKeyDigest } from '../inbox/inbox.ts'
import { lockSessionIfThere, recordClaim, type SessionRow } from '../sessions/session.ts'

declare module '../app.ts' {
  interface App {
    /** Run markers of the turns that this process runs or ends, and of its questions to agents. A turn without one has no task. */
    runs: Set<string>
  }
}

/** A turn that this host has claimed, with what it needs to run it. */
export type Claim = {
  hold: TurnHold
  turn: Turn
  session: SessionRow
  /** The API key of the turn's agent. */
  key: string
  /** With which the MCP servers of its agent ask people. */
  token: string
  /** When the lease ends unless it is renewed, by the monotonic clock of this process. */
  leaseEndsAt: number
  /** Writes in the name of the turn. Waits for the database; throws `TurnLost` once another host owns the turn. */
  write: Transact
}

/**
 * Binds the session to this host. Every retry uses the same marker, so that an attempt whose commit succeeded but whose
 * answer was lost claims the turn again. Otherwise the row would say `executing` and no host would run it. The marker is in
 * `app.runs` before the claim is visible; the caller removes it when the turn has ended.
 */
export async function claimDispatchedTurn(
  app: App,
  { turnId, sessionId }: { turnId: string; sessionId: number },
): Promise<Claim | undefined> {
  const hold = { turnId, owner: app.home.hostId, marker: newRunMarker() }
  app.runs.add(hold.marker)
  let claim: Claim | undefined
  try {
    claim = await untilReachable(() => transact(app.db, (tx) => claimIn(app, tx, hold, sessionId)))
    return claim
  } finally {
    if (!claim) app.runs.delete(hold.marker)
  }
}

async function claimIn(app: App, tx: Transaction, hold: TurnHold, sessionId: number): Promise<Claim | undefined> {
  const key = newTurnKey()
  // Every transaction locks the session before the turn, which avoids deadlocks.
  const session = await lockSessionIfThere(tx, { id: sessionId })
  const sentAt = performance.now()
  const turn = session && (await claimTurn(tx, hold, turnKeyDigest(key)))
  if (!turn) return undefined
  // A turn that was withdrawn after its dispatch is claimed only to be ended.
  const isRunnable = turn.withdrawn_by === null
  await recordClaim(tx, session.id, { hostId: hold.owner, ...(isRunnable && { turnId: turn.id }) })
  if (isRunnable)
    await app.events.publish(tx, turnStarted, {
      sessionId: session.id,
      payload: { turn: turn.sequence, source: turn.source },
    })
  return {
    hold,
    turn,
    session,
    key,
    token: await issueToken(app, tx, { sessionId: session.id, marker: hold.marker }),
    leaseEndsAt: sentAt + turn.lease_seconds * 1000,
    write: (work) => untilReachable(() => transactHeld(app.db, hold, work)),
  }
}
