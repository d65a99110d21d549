import { discardJobsBoundTo } from '../../platform/jobs/queued-job-store.ts'
import { releaseLocks } from '../../platform/jobs/worker-locks.ts'
import type { App } from '../app.ts'
import { deleteOldHosts, keptDays } from '../hosts/hosts.ts'
import { deleteOldRuns } from '../inbox/inbox.ts'

/** Forgets hosts that have not been seen for days, with their workers. Otherwise every host would check them for ever. */
export async function pruneHosts(app: App): Promise<void> {
  await deleteOldRuns(app.db, keptDays)
  for (const hostId of await deleteOldHosts(app.db)) {
    await releaseLocks(app.db, { hostId })
    await discardJobsBoundTo(app.db, hostId, 'Only a host that has not been seen for days could run it')
  }
}
