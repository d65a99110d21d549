import type { Background } from '../platform/background.ts'
import type { Cache } from '../platform/cache/cache.ts'
import type { ChatClient } from '../platform/chat/chat.ts'
import type { Clock } from '../platform/clock.ts'
import type { Batcher } from '../platform/concurrency/batcher.ts'
import type { Database } from '../platform/db/database.ts'
import type { Events } from '../platform/events/events.ts'
import type { Signals } from '../platform/events/signals.ts'
import { type Subscription, subscribing } from '../platform/events/subscription.ts'
import type { Forge } from '../platform/forge/forge.ts'
import type { AllowedHosts } from '../platform/git/allowed-hosts.ts'
import type { Clones } from '../platform/git/clones.ts'
import type { Home } from '../platform/home/home.ts'
import { type Endpoint, endpointBinding } from '../platform/http/endpoint.ts'
import type { CronEntry } from '../platform/jobs/cron.ts'
import { type Job, type JobHandler, jobHandling } from '../platform/jobs/job.ts'
import type { OneTimeTask } from '../platform/jobs/one-time-task.ts'
import type { Periodic } from '../platform/jobs/periodic.ts'
import { pruning, type Retention } from '../platform/jobs/pruning.ts'
import type { Log } from '../platform/log/log.ts'
import type { Upstream } from '../platform/mcp/upstream.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { OAuth } from '../platform/oauth/oauth.ts'
import type { Confinement } from '../platform/process/confinement.ts'
import type { Push } from '../platform/push/push.ts'
import type { Redactor } from '../platform/redaction/redactor.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import type { SealedTable } from '../platform/vault/sealed-columns.ts'
import type { Vault } from '../platform/vault/vault.ts'
import type { Runtimes } from '../runtimes/registry.ts'
import type { Tool } from './tool.ts'

/**
 * What every operation receives. Built once, when the host starts. A room adds its own part with `declare module`, because
 * this file may import no room.
 */
export interface App {
  db: Database
  /** The same database on connections of their own, for leases, takeover and health. */
  control: Database
  events: Events
  /** Notifications between hosts. */
  signals: Signals
  cache: Cache
  clock: Clock
  log: Log
  redactor: Redactor
  /** Seals credentials before they are stored, and opens them. */
  vault: Vault
  /** The client of authorization servers. */
  oauth: OAuth
  /** Remote MCP servers, for the gateway. */
  upstream: Upstream
  metrics: Metrics
  tracing: Tracing
  runtimes: Runtimes
  home: Home
  clones: Clones
  /** The hosts that repositories may come from. */
  gitHosts: AllowedHosts
  /** What the programs of agents see of this host. */
  confinement: Confinement
  /** The chat platform. `client` is undefined unless it is configured. `allowedUserIds`: where a condition names no one. */
  chat: { isConfigured: boolean; client: ChatClient | undefined; allowedUserIds: readonly string[] }
  /** The forge. `client` is undefined unless it is configured. */
  forge: { isConfigured: boolean; client: Forge | undefined }
  /** Pushes to the browsers of people. */
  push: Push
  background: Background
  /** Batches concurrent requests to one session into one transaction. */
  batcher: Batcher
  /** How long what grows is kept. */
  retention: Retention
  /** An agent without any activity for this long is stopped. */
  agentSilenceSeconds: number
}

export const { bind, bindList } = endpointBinding<App>()
export const handleJob = jobHandling<App>()

export const defineSubscription = subscribing<App>()

/** Periodic work that deletes what is old. The room that owns a table declares it. */
export const prune = pruning<App>()

/** Everything that a room offers and does. Background work is declared here: no room starts a loop of its own. */
export type Room = {
  name: string
  endpoints?: readonly Endpoint<App>[]
  /** What people do in a browser, on the dashboard and in the forms of `/supervisor`, and no caller of the API. */
  forPeople?: readonly Endpoint<App>[]
  /** What the operator does in the forms of `/supervisor`, and no one else. */
  forOperator?: readonly Endpoint<App>[]
  tools?: readonly Tool[]
  jobs?: readonly Pick<Job, 'name'>[]
  handlers?: readonly JobHandler<App>[]
  cron?: readonly CronEntry[]
  periodic?: readonly Periodic<App>[]
  subscriptions?: readonly Subscription<App>[]
  /** Work on the data of older versions, done once. */
  oneTimeTasks?: readonly OneTimeTask<App>[]
  /** The columns with credentials: sealed by the vault, removed by the redactor, sealed again when the key is rotated. */
  sealed?: readonly SealedTable[]
  /** Names the series of its own metrics at once: a rate needs the value before the first event. */
  nameSeries?(metrics: Metrics): void
  /** Cleans up after a crash of this host. Finishes before the host takes any work. */
  recover?(app: App): Promise<void>
}
