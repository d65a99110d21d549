import type { Database } from '../db/database.ts'
import type { PlacedEvent } from '../events/event.ts'
import type { Events } from '../events/events.ts'
import { inWork, outsideWork } from '../log/work-context.ts'
import { type Leases, type LeasesOptions, openLeases } from './leases.ts'
import { type Periodic, type RunResult, refuseDuplicateNames } from './periodic.ts'
import { type RunReportOptions, type RunReports, runReports } from './run-reports.ts'
import { deleteOldRuns } from './run-store.ts'
import type { PausedQueues } from './watch-pauses.ts'

export type PeriodicTasks = {
  /** Starts no more runs, aborts the signal of those underway and waits for them. */
  drain(): Promise<void>
}

type Options<App> = RunReportOptions &
  Pick<LeasesOptions, 'ttlMs'> & {
    app: App
    /** Renews leases; default `db`. */
    leaseDb?: Database
    entries: readonly Periodic<App>[]
    events: Pick<Events, 'follow'>
    paused: Pick<PausedQueues, 'has' | 'onRead'>
  }

/** Runs every entry at once, then at its interval and when an event wakes it. */
export async function startPeriodic<App>(options: Options<App>): Promise<PeriodicTasks> {
  const { entries, db, leaseDb = db, hostId, events, paused, log, ttlMs } = options
  refuseDuplicateNames(entries)
  await deleteOldRuns(db)
  const stopping = new AbortController()
  const leases = await openLeases({
    db: leaseDb,
    owner: hostId,
    names: entries.filter(({ runs }) => runs === 'one_host').map(({ name }) => name),
    signal: stopping.signal,
    log,
    ...(ttlMs !== undefined && { ttlMs }),
  })
  const shared = { ...options, leases, reports: runReports(options), signal: stopping.signal }
  const loops = entries.map((entry) => startLoop(entry, shared))
  const stopFollowing = events.follow({
    onEvents: (placed) => {
      for (const { entry, wake } of loops) if (placed.some((event) => isWokenBy(entry, event))) wake()
    },
    onClosed: () => undefined,
  })
  const stopWatching = paused.onRead(() => {
    for (const { resumeIfUnpaused } of loops) resumeIfUnpaused()
  })
  return {
    drain: async () => {
      stopping.abort()
      stopFollowing()
      stopWatching()
      await Promise.all(loops.map((loop) => loop.stop()))
      await leases.close()
    },
  }
}

function isWokenBy<App>({ wakeOn = [] }: Periodic<App>, event: PlacedEvent): boolean {
  return wakeOn.some((filter) => filter.matches(event))
}

type Shared<App> = Options<App> & { leases: Leases; reports: RunReports; signal: AbortSignal }

function startLoop<App>(entry: Periodic<App>, shared: Shared<App>) {
  const { paused, signal } = shared
  const { queue, concurrency = 1 } = entry
  const underway = new Set<Promise<void>>()
  const timers = new Set<NodeJS.Timeout>()
  /** Set by wakes that found no free slot. One more run serves them all. */
  let isWakePending = false
  let wasPaused = false

  const isPaused = (): boolean => queue !== null && paused.has(queue)
  const wake = (): void => {
    if (signal.aborted) return
    if (isPaused()) wasPaused = true
    else if (underway.size >= concurrency) isWakePending = true
    else while (underway.size < concurrency) launch()
  }
  const launch = (): void => {
    isWakePending = false
    const run = outsideWork(() => inWork({ periodic: entry.name }, () => runOnce(entry, shared))).then((result) => {
      underway.delete(run)
      if (result === 'again' || isWakePending) wake()
      if (typeof result === 'object') wakeAfter(result.againAfterMs)
    })
    underway.add(run)
  }
  const wakeAfter = (ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      wake()
    }, ms)
    timers.add(timer)
  }
  // A tick that finds every slot taken is skipped: unlike an event, it says nothing about new work.
  const ticks = setInterval(() => {
    if (underway.size < concurrency) wake()
  }, entry.intervalMs)
  wake()
  return {
    entry,
    wake,
    resumeIfUnpaused: (): void => {
      if (!wasPaused || isPaused()) return
      wasPaused = false
      wake()
    },
    stop: async (): Promise<void> => {
      clearInterval(ticks)
      for (const timer of timers) clearTimeout(timer)
      while (underway.size > 0) await Promise.all(underway)
    },
  }
}

/** Never rejects: a run that fails is reported, and the next one is due as usual. */
async function runOnce<App>(entry: Periodic<App>, { app, leases, reports, signal }: Shared<App>): Promise<RunResult> {
  const startedAt = performance.now()
  const durationMs = () => performance.now() - startedAt
  try {
    const runSignal = entry.runs === 'one_host' ? await leases.acquire(entry.name) : signal
    if (!runSignal) return 'done'
    const result = await entry.run(app, runSignal)
    await reports.succeeded(entry.name, durationMs())
    return result ?? 'done'
  } catch (error) {
    if (signal.aborted && error instanceof Error && error.name === 'AbortError') return 'done'
    await reports.failed(entry.name, durationMs(), error)
    return 'done'
  }
}
