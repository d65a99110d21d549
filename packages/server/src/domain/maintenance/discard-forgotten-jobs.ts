import type { OneTimeTask } from '../../platform/jobs/one-time-task.ts'
import { discardJobsBoundTo, findBoundHosts } from '../../platform/jobs/queued-job-store.ts'
import type { App } from '../app.ts'
import { findKnownHosts } from './host-report-store.ts'

/**
 * Earlier versions forgot a host and left the jobs that only it could run: they waited for ever, and their queues looked late.
 * The cursor is the last host that was looked at.
 */
export const discardForgottenJobs: OneTimeTask<App> = {
  version: '20261116200000',
  name: 'discard_jobs_of_forgotten_hosts',
  run: async (app, { cursor, stats, signal }) => {
    const after = typeof cursor?.host === 'string' ? cursor.host : ''
    const known = new Set(await findKnownHosts(app.db))
    const forgotten = (await findBoundHosts(app.db)).filter((host) => host > after && !known.has(host))
    let discarded = stats.discarded ?? 0
    for (const host of forgotten) {
      discarded += await discardJobsBoundTo(app.db, host, 'Only a host that no longer exists could run it')
      if (signal.aborted) return { cursor: { host }, stats: { discarded } }
    }
    return { stats: { discarded } }
  },
}
