import type { Periodic } from './periodic.ts'

/** What is kept for a time that the operator chooses, in days; 0 keeps it for ever. */
export type Retention = Readonly<
  Record<
    | 'logs'
    | 'verboseLogs'
    | 'events'
    | 'notifications'
    | 'turns'
    | 'snapshots'
    | 'quotas'
    | 'orphans'
    | 'deadJobs'
    | 'audit',
    number
  >
>

export type Pruning<App> = {
  /** As of periodic work. */
  name: string
  /** The operator's choice, or days where there is none: the service itself needs it for so long. */
  keeps: keyof Retention | { days: number }
  /** Deletes at most `limit` of what is older than `days`. How many it deleted; fewer than `limit` says that nothing is left. */
  deleteSome(app: App, slice: Slice): Promise<number>
  /** The limit of a slice, for rows that are so large that the usual number would hold its locks for seconds. */
  sliceRows?: number
} & Partial<Pick<Periodic<App>, 'intervalMs' | 'runs'>>

export type Slice = { days: number; limit: number }

/** Small, so that a slice holds its locks for milliseconds and a crash undoes little. */
export const usualSliceRows = 1000
/** Other maintenance gets its turn after this time. */
const budgetMs = 20_000
const defaultIntervalMs = 10 * 60_000

/** Makes periodic work that deletes what is old, in slices. Each slice is a transaction of its own. */
export function pruning<App extends { retention: Retention }>() {
  return ({
    name,
    keeps,
    deleteSome,
    sliceRows = usualSliceRows,
    intervalMs = defaultIntervalMs,
    runs = 'one_host',
  }: Pruning<App>): Periodic<App> => ({
    name,
    queue: 'maintenance',
    intervalMs,
    runs,
    run: async (app, signal) => {
      const days = typeof keeps === 'string' ? app.retention[keeps] : keeps.days
      const startedAt = performance.now()
      for (let isMore = days > 0; isMore; ) {
        if (signal.aborted) return 'done'
        if (performance.now() - startedAt >= budgetMs) return 'again'
        isMore = (await deleteSome(app, { days, limit: sliceRows })) >= sliceRows
      }
      return 'done'
    },
  })
}
