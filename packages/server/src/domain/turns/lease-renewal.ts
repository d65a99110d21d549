import type { App } from '../app.ts'
import { renewLease } from '../inbox/inbox.ts'
import type { Claim } from './claim.ts'

export type Lease = {
  /** Aborted when the turn was withdrawn or this host has lost it: its agent must stop. */
  signal: AbortSignal
  /** True if another host owns the turn now. */
  isLost(): boolean
  stop(): void
}

/** About five renewals within one lease. */
const renewIntervalMs = 3000

/**
 * Renews the lease of a claimed turn at intervals, and at once when an event of its session arrives. A failed renewal
 * does not stop the agent: the database may only be restarting.
 */
export function startLeaseRenewal(app: App, { hold, session }: Claim): Lease {
  const stopped = new AbortController()
  let isLost = false
  const renew = async (): Promise<void> => {
    try {
      const lease = await renewLease(app.db, hold)
      if (lease?.withdrawn_by === null) return
      isLost = lease === undefined
      if (isLost)
        app.log.info({ sessionId: session.id, turnId: hold.turnId }, 'lost the lease of a turn; stopping its agent')
      stopped.abort()
    } catch (error) {
      app.log.debug({ turnId: hold.turnId, reason: String(error) }, 'could not renew the lease of a turn')
    }
  }
  const renewals = setInterval(() => void renew(), renewIntervalMs)
  const stopFollowing = app.events.follow({
    onEvents: (events) => {
      if (events.some(({ session_id }) => session_id === session.id)) void renew()
    },
    onClosed: () => undefined,
  })
  return {
    signal: stopped.signal,
    isLost: () => isLost,
    stop: () => {
      clearInterval(renewals)
      stopFollowing()
    },
  }
}
