import type { Health } from '@yardmaster/contract/health/report-fields'
import type { Database } from '../../platform/db/database.ts'
import type { JobCounts } from '../../platform/jobs/job-counts.ts'
import type { OneTimeTask } from '../../platform/jobs/one-time-task.ts'
import type { Periodic } from '../../platform/jobs/periodic.ts'
import type { JobThreads, QueueName } from '../../platform/jobs/queues.ts'
import type { App } from '../app.ts'

/** The part of the app that maintenance adds, put together when the host starts. */
export type MaintenanceParts = {
  /** The same database on a few connections with short limits: a slow report must not delay anything else. */
  reports: Database
  /** The connections for requests, as they are in use now. */
  connections(): { size: number; inUse: number; waiting: number }
  /** The queue of every job class. */
  queueOfJob: ReadonlyMap<string, QueueName>
  /** What the rooms declare. */
  periodic: readonly Pick<Periodic<unknown>, 'name' | 'queue' | 'intervalMs' | 'runs'>[]
  oneTimeTasks: readonly OneTimeTask<App>[]
  jobCounts: JobCounts
  /** How many jobs of each queue this host runs at once. */
  jobThreads: JobThreads
  /** Names of other services that this host has to resolve. */
  externalHosts: readonly string[]
  /** False where the operator has switched pauses of queues off: hosts then ignore them. */
  hasPauses: boolean
  /** The report that is being made; requests that come meanwhile share it, so that many cost as much as one. */
  healthUnderway: { report?: Promise<Health> | undefined }
  /** How many checks in a row found a part of the report critical, on the host that checks it. */
  criticalChecks: Map<string, number>
}

declare module '../app.ts' {
  interface App extends MaintenanceParts {}
}
