import type { Background } from '../platform/background.ts'
import type { Cache } from '../platform/cache/cache.ts'
import type { Clock } from '../platform/clock.ts'
import type { Batcher } from '../platform/concurrency/batcher.ts'
import type { Database } from '../platform/db/database.ts'
import type { Events } from '../platform/events/events.ts'
import type { Signals } from '../platform/events/signals.ts'
import type { Clones } from '../platform/git/clones.ts'
import type { Home } from '../platform/home/home.ts'
import { type Endpoint, endpointDeclaring } from '../platform/http/endpoint.ts'
import type { CronEntry } from '../platform/jobs/cron.ts'
import { type Job, type JobHandler, jobHandling } from '../platform/jobs/job.ts'
import type { Log } from '../platform/log/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Redactor } from '../platform/redaction/redactor.ts'
import type { Runtimes } from '../runtimes/registry.ts'

/**
 * What operations are handed. Built once, when the host starts. A room whose own part everybody is handed adds it with
 * `declare module`, since this file may know no room.
 */
export interface App {
  db: Database
  events: Events
  /** Wake-up calls between hosts. */
  signals: Signals
  cache: Cache
  clock: Clock
  log: Log
  redactor: Redactor
  metrics: Metrics
  runtimes: Runtimes
  home: Home
  clones: Clones
  background: Background
  /** For what hundreds may ask of one session at once. */
  batcher: Batcher
  /** An agent that shows no sign of life for this long is stopped. */
  agentSilenceSeconds: number
}

export const { defineEndpoint, listEndpoint } = endpointDeclaring<App>()
export const handleJob = jobHandling<App>()

/** A room as the house sees it: what it offers, what work it declares and performs, what it does when a host starts. */
export type Room = {
  name: string
  endpoints?: readonly Endpoint<App>[]
  jobs?: readonly Pick<Job, 'name'>[]
  handlers?: readonly JobHandler<App>[]
  cron?: readonly CronEntry[]
  /** Runs on a worker before it takes jobs. */
  onWorkerStart?(app: App): Promise<void>
}
