import { createMutex } from '../../platform/concurrency/mutex.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import { retryLevel } from '../../platform/log/retry-level.ts'
import type { RunningTurn } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import type { Outcome } from './end-turn.ts'
import type { Lease } from './lease-renewal.ts'

type Supervision = {
  running: RunningTurn
  /** Stores what the agent has written since the last call. `isOver`: the agent has ended. */
  recordProgress(isOver: boolean): Promise<void>
  activity: EventTarget
  /** Whether the agent waits for a person, or did lately. */
  isWaiting(): Promise<boolean>
  lease: Lease
  /** Aborted when the host drains. */
  signal: AbortSignal
}

/** Short enough for callers who watch the transcript, long enough to cost little. */
const recordIntervalMs = 250

/** Waits for the end of a running agent. Stores what it writes meanwhile, and stops it when the turn must stop. */
export async function supervise(
  app: App,
  { running, recordProgress, activity, isWaiting, lease, signal }: Supervision,
): Promise<Outcome> {
  const recorder = recordOnActivity(app, activity, () => recordProgress(false))
  const watchdog = watchSilence(app, { activity, running, isWaiting })
  const mustStop = AbortSignal.any([signal, lease.signal])
  const stop = () => void running.interrupt()
  mustStop.addEventListener('abort', stop)
  if (mustStop.aborted) stop()
  try {
    const end = await running.ended
    await recorder.stop()
    if (lease.isLost()) return { kind: 'lost' }
    await untilReachable(() => recordProgress(true))
    if (watchdog.hasFired()) return { kind: 'failed', reason: 'silent', detail: watchdog.failureDetail }
    return end.kind !== 'completed' && (signal.aborted || lease.isEnding()) ? { kind: 'cut_short' } : end
  } finally {
    mustStop.removeEventListener('abort', stop)
    watchdog.stop()
    await recorder.stop()
  }
}

type Watched = Pick<Supervision, 'activity' | 'running' | 'isWaiting'>

/** Interrupts an agent that shows no activity for the configured time, unless it waits for a person. */
function watchSilence(app: App, { activity, running, isWaiting }: Watched) {
  let hasFired = false
  let isStopped = false
  const onTimeout = async (): Promise<void> => {
    // While the database is away no one can say what the agent waits for.
    const isExcused = await isWaiting().catch(() => true)
    if (isStopped) return
    if (isExcused) {
      timer.refresh()
      return
    }
    hasFired = true
    await running.interrupt()
  }
  const timer = setTimeout(() => void onTimeout(), app.agentSilenceSeconds * 1000)
  const onActivity = (): void => {
    timer.refresh()
  }
  activity.addEventListener('activity', onActivity)
  return {
    hasFired: () => hasFired,
    failureDetail: `The agent showed no activity for ${app.agentSilenceSeconds} s and was stopped. Restart the session to continue.`,
    stop: () => {
      isStopped = true
      activity.removeEventListener('activity', onActivity)
      clearTimeout(timer)
    },
  }
}

/**
 * Records progress after activity of the agent, one run at a time. It also runs once at the start, because the agent may
 * have been active before the listener was added and then be quiet for an hour. A failed run is retried for that reason.
 */
function recordOnActivity(
  app: App,
  activity: EventTarget,
  recordProgress: () => Promise<void>,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  const mutex = createMutex()
  const failureLevel = retryLevel()
  let isStopped = false
  const recordSoon = (): void => {
    if (isStopped) return
    timer ??= setTimeout(() => {
      timer = undefined
      mutex(recordProgress).then(failureLevel.reset, (error: unknown) => {
        app.log[failureLevel.of(error)]({ err: error }, 'could not record the progress of a turn; retrying')
        recordSoon()
      })
    }, recordIntervalMs)
  }
  activity.addEventListener('activity', recordSoon)
  recordSoon()
  return {
    stop: async () => {
      isStopped = true
      activity.removeEventListener('activity', recordSoon)
      clearTimeout(timer)
      await mutex(async () => {})
    },
  }
}
