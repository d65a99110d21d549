import { retryLevel } from '../../platform/log/retry-level.ts'
import { sweepMarked } from '../../platform/process/stop.ts'
import type { App } from '../app.ts'
import { renewLease } from '../inbox/inbox.ts'
import type { Claim } from './claim.ts'

export type Lease = {
  /** Aborted when the agent must stop: the turn was withdrawn or lost, or its lease is about to end. */
  signal: AbortSignal
  /** True if another host owns the turn now. */
  isLost(): boolean
  /** True if the lease could not be renewed in time, so that another host may own the turn soon. */
  isEnding(): boolean
  stop(): void
}

/** About five renewals within one lease. */
const renewIntervalMs = 3000
/** An agent is asked to stop so long before the lease ends. */
const askBeforeEndMs = 5000
/** What is left of the agent is killed so long before the lease ends: another host may start its own agent then. */
const killBeforeEndMs = 1500

/**
 * Renews the lease of a claimed turn at intervals, and at once when an event of its session arrives. A failed renewal does
 * not stop the agent: the database may only be restarting. A lease that nears its end does.
 */
export function startLeaseRenewal(app: App, { hold, session, leaseEndsAt }: Claim): Lease {
  const stopped = new AbortController()
  let isLost = false
  let isEnding = false
  let isOver = false
  let deadlines: NodeJS.Timeout[] = []

  const askToStop = (): void => {
    isEnding = true
    app.log.warn('could not renew the lease of a turn; stopping its agent before the lease ends')
    stopped.abort()
  }
  const kill = (): void => {
    sweepMarked(hold.marker).catch((error: unknown) => app.log.error({ err: error }, 'could not stop an agent'))
  }
  /** `endsAt` is by the monotonic clock and counts from before the query, so this host never believes it too long. */
  const expectEndAt = (endsAt: number): void => {
    deadlines.forEach(clearTimeout)
    const leftMs = endsAt - performance.now()
    deadlines = [setTimeout(askToStop, leftMs - askBeforeEndMs), setTimeout(kill, leftMs - killBeforeEndMs)]
  }
  const failureLevel = retryLevel()
  const renew = async (): Promise<void> => {
    const sentAt = performance.now()
    try {
      const lease = await renewLease(app.control, hold)
      failureLevel.reset()
      if (isOver) return // the turn ended meanwhile, and with it its lease
      if (lease && !isEnding) expectEndAt(sentAt + lease.lease_seconds * 1000)
      if (lease?.withdrawn_by === null) return
      isLost = lease === undefined
      if (isLost) app.log.info('lost the lease of a turn; stopping its agent')
      stopped.abort()
    } catch (error) {
      app.log[failureLevel.of(error)]({ err: error }, 'could not renew the lease of a turn')
    }
  }
  expectEndAt(leaseEndsAt)
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
    isEnding: () => isEnding,
    stop: () => {
      isOver = true
      clearInterval(renewals)
      deadlines.forEach(clearTimeout)
      stopFollowing()
    },
  }
}
