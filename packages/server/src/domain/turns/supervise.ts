import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { RunningTurn } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import type { Outcome } from './end-turn.ts'
import type { Lease } from './lease-renewal.ts'

type Supervision = {
  running: RunningTurn
  /** Stores what the agent has written since it was last called. */
  read(): Promise<void>
  activity: EventTarget
  lease: Lease
  /** Aborted when the host drains. */
  signal: AbortSignal
}

/** Between two readings of the transcript: soon enough to watch, seldom enough to cost nothing. */
const readEveryMs = 250

/** Stays with a running agent to its end: stores what it writes, and stops it when it must stop. */
export async function supervise(app: App, { running, read, activity, lease, signal }: Supervision): Promise<Outcome> {
  const reader = readOnActivity(app, activity, read)
  const watchdog = watchSilence(app, activity, running)
  const mustStop = AbortSignal.any([signal, lease.signal])
  const stop = () => void running.interrupt()
  mustStop.addEventListener('abort', stop)
  if (mustStop.aborted) stop()
  try {
    const end = await running.ended
    await reader.stop()
    await untilReachable(read)
    if (lease.isLost()) return { kind: 'lost' }
    if (watchdog.hasFired()) return { kind: 'failed', reason: 'silent', detail: watchdog.sentence }
    return end.kind !== 'completed' && signal.aborted ? { kind: 'cut_short' } : end
  } finally {
    mustStop.removeEventListener('abort', stop)
    watchdog.stop()
    await reader.stop()
  }
}

/** An agent may think for long, but not for ever without a sign of life. */
function watchSilence(app: App, activity: EventTarget, running: RunningTurn) {
  let hasFired = false
  const bark = (): void => {
    hasFired = true
    void running.interrupt()
  }
  const timer = setTimeout(bark, app.agentSilenceSeconds * 1000)
  const onActivity = (): void => {
    timer.refresh()
  }
  activity.addEventListener('activity', onActivity)
  return {
    hasFired: () => hasFired,
    sentence: `The agent gave no sign of life for ${app.agentSilenceSeconds} s and was stopped. Restart the session to let it go on.`,
    stop: () => {
      activity.removeEventListener('activity', onActivity)
      clearTimeout(timer)
    },
  }
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
