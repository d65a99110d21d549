import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { RunningTurn } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { renewLease } from '../inbox/inbox.ts'
import type { Claim } from './claim.ts'
import type { Outcome } from './end-turn.ts'

type Supervision = {
  running: RunningTurn
  /** Stores what the agent has written since it was last called. */
  read(): Promise<void>
  activity: EventTarget
  signal: AbortSignal
}

const renewEveryMs = 3000
/** Between two readings of the transcript: soon enough to watch, seldom enough to cost nothing. */
const readEveryMs = 250

/** Stays with a running agent to its end: keeps the lease, stores what it writes, stops it when it must stop. */
export async function supervise(app: App, claim: Claim, supervision: Supervision): Promise<Outcome> {
  const { running, read, activity, signal } = supervision
  const lease = keepLease(app, claim, running)
  const reader = readOnActivity(app, activity, read)
  const stop = () => void running.interrupt()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const end = await running.ended
    await reader.stop()
    if (lease.isLost()) return { kind: 'lost' }
    await untilReachable(read)
    return end.kind !== 'completed' && signal.aborted ? { kind: 'cut_short' } : end
  } finally {
    signal.removeEventListener('abort', stop)
    lease.stop()
    await reader.stop()
  }
}

/** A database that is away for a while is no reason to stop an agent; a turn that is no longer ours is. */
function keepLease(app: App, { hold }: Claim, running: RunningTurn): { isLost(): boolean; stop(): void } {
  let isLost = false
  const renew = async (): Promise<void> => {
    try {
      if (await renewLease(app.db, hold)) return
    } catch (error) {
      app.log.debug({ turnId: hold.turnId, reason: String(error) }, 'the lease of a turn could not be renewed now')
      return
    }
    isLost = true
    clearInterval(renewals)
    app.log.warn({ turnId: hold.turnId }, 'a turn is no longer ours; its agent is stopped')
    await running.interrupt()
  }
  const renewals = setInterval(() => void renew(), renewEveryMs)
  return { isLost: () => isLost, stop: () => clearInterval(renewals) }
}

/**
 * Reads when the agent stirs, one reading at a time, and once to begin with: it may have stirred before anybody listened,
 * and say nothing more for an hour. A reading that failed is tried again for the same reason.
 */
function readOnActivity(app: App, activity: EventTarget, read: () => Promise<void>): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> = Promise.resolve()
  let isStopped = false
  const readSoon = (): void => {
    if (isStopped) return
    timer ??= setTimeout(() => {
      timer = undefined
      reading = reading.then(read).catch((error: unknown) => {
        app.log.debug({ reason: String(error) }, 'a transcript could not be read now')
        readSoon()
      })
    }, readEveryMs)
  }
  activity.addEventListener('activity', readSoon)
  readSoon()
  return {
    stop: async () => {
      isStopped = true
      activity.removeEventListener('activity', readSoon)
      clearTimeout(timer)
      await reading
    },
  }
}
