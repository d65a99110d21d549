import type { App } from '../app.ts'
import { renewLease } from '../inbox/inbox.ts'
import type { Claim } from './claim.ts'

export type Lease = {
  /** Aborted when the turn was withdrawn or is no longer ours: its agent must stop. */
  signal: AbortSignal
  /** Whether somebody else has the turn now. */
  isLost(): boolean
  stop(): void
}

const renewEveryMs = 3000

/**
 * Renews at intervals from the moment a turn is taken, and looks at once when something happened to its session. A
 * database that is away for a while is no reason to stop an agent.
 */
export function keepLease(app: App, { hold, session }: Claim): Lease {
  const ended = new AbortController()
  let isLost = false
  const renew = async (): Promise<void> => {
    try {
      const lease = await renewLease(app.db, hold)
      if (lease?.withdrawn_by === null) return
      isLost = lease === undefined
      if (isLost)
        app.log.info({ sessionId: session.id, turnId: hold.turnId }, 'a turn is no longer ours; its agent is stopped')
      ended.abort()
    } catch (error) {
      app.log.debug({ turnId: hold.turnId, reason: String(error) }, 'the lease of a turn could not be renewed now')
    }
  }
  const renewals = setInterval(() => void renew(), renewEveryMs)
  const stopFollowing = app.events.follow({
    onEvents: (events) => {
      if (events.some(({ session_id }) => session_id === session.id)) void renew()
    },
    onClosed: () => undefined,
  })
  return {
    signal: ended.signal,
    isLost: () => isLost,
    stop: () => {
      clearInterval(renewals)
      stopFollowing()
    },
  }
}
