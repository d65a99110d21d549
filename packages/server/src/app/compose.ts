import { accessOutsideTurns } from '../domain/accounts/account.ts'
import type { App } from '../domain/app.ts'
import { openAuditLog } from '../domain/audit/audit.ts'
import { openBacklog } from '../domain/backlog/backlog.ts'
import { type Catalog, openCatalog } from '../domain/catalog/catalog.ts'
import { findSignInState } from '../domain/connectors/connector.ts'
import { openPrices } from '../domain/costs/cost.ts'
import { openVendedTokens } from '../domain/credentials/credential.ts'
import { openQuestionMemory, type QuestionMemory } from '../domain/elicitations/elicitation.ts'
import type { MaintenanceParts } from '../domain/maintenance/maintenance.ts'
import { chooseRuntimeAtFirstStart, readSettings } from '../domain/settings/settings.ts'
import { openPagesWarning, signInKeys } from '../domain/sign-ins/sign-in.ts'
import { background } from '../platform/background.ts'
import { type Cache, noCache } from '../platform/cache/cache.ts'
import { memoryCache } from '../platform/cache/memory-cache.ts'
import { openChat } from '../platform/chat/chat.ts'
import { systemClock } from '../platform/clock.ts'
import { createBatcher } from '../platform/concurrency/batcher.ts'
import { keyedMutex } from '../platform/concurrency/mutex.ts'
import { openEvents } from '../platform/events/events.ts'
import { openPostgresSignals } from '../platform/events/postgres-signals.ts'
import { asPeriodic, openSubscription } from '../platform/events/run-subscription.ts'
import type { Signals } from '../platform/events/signals.ts'
import { openForge } from '../platform/forge/forge.ts'
import { allowedHosts } from '../platform/git/allowed-hosts.ts'
import { openClones } from '../platform/git/clones.ts'
import { openHome } from '../platform/home/home.ts'
import { refuseUnhandled } from '../platform/jobs/job.ts'
import { openJobCounts } from '../platform/jobs/job-counts.ts'
import { startRunners } from '../platform/jobs/runners.ts'
import { startPeriodic } from '../platform/jobs/start-periodic.ts'
import { noPauses, watchPauses } from '../platform/jobs/watch-pauses.ts'
import type { Log } from '../platform/log/log.ts'
import { openUpstream } from '../platform/mcp/upstream.ts'
import { openMetrics } from '../platform/metrics.ts'
import { openOAuth } from '../platform/oauth/oauth.ts'
import { openPush } from '../platform/push/push.ts'
import { findVapidKeys } from '../platform/push/vapid-keys.ts'
import { type KnownSecret, openRedactor } from '../platform/redaction/redactor.ts'
import { rules } from '../platform/redaction/rules.ts'
import { readRulesFile } from '../platform/redaction/rules-file.ts'
import { readNameValues } from '../platform/tracing/name-value-list.ts'
import { noTracing, type Tracing } from '../platform/tracing/tracing.ts'
import { openVault } from '../platform/vault/vault.ts'
import { watchSealed } from '../platform/vault/watch-sealed.ts'
import { version } from '../platform/version.ts'
import { openDrivers } from '../runtimes/open-drivers.ts'
import { registerRuntimes } from '../runtimes/registry.ts'
import { registerMetrics } from '../surfaces/metrics.ts'
import { openAgentConfinement } from './agent-confinement.ts'
import { findKeys, type KeyRing } from './api-key.ts'
import { closing } from './closing.ts'
import { type Config, jobThreads, secretVariables, socialSettings } from './config.ts'
import { recordAddress } from './link.ts'
import { modules } from './modules.ts'
import { openStorage, type Storage } from './open-storage.ts'
import { openWeb, openWorkerWeb, type Web, type WebOptions } from './web.ts'

/** A running Yardmaster. */
export type Host = {
  app: App
  /** The default runtime. */
  defaultRuntime: string | null
  /** Whether it runs turns. */
  isWorking: boolean
  /** Undefined with `ROLE=worker`. */
  web: Web | undefined
  /** Where a worker shows its metrics, if it was given a port for them. */
  workerUrl: string | undefined
  keyRing: KeyRing
  /** Drains, and leaves nothing of ours running. May be called again. */
  stop(): Promise<void>
}

type HostOptions = {
  log: Log
  web?: Partial<Pick<WebOptions, 'timeouts' | 'isChecking' | 'dashboardFolder'>>
  /** The environment for the catalog's placeholders. */
  environment?: Record<string, string | undefined>
  /** A certificate to trust instead of those of Node, for authorization servers and MCP servers. */
  trustedAuthority?: string
}

/** Starts a host. If a step fails, closes what it has opened, in reverse. */
export async function startHost(config: Config, options: HostOptions): Promise<Host> {
  const { log, web: webOptions, environment = process.env, trustedAuthority } = options
  const stack = closing(log)
  let resolveServiceUrl: (url: string | undefined) => void = () => undefined
  const serviceUrl = new Promise<string | undefined>((resolve) => {
    resolveServiceUrl = resolve
  })
  try {
    refuseUnhandled(
      modules.flatMap(({ jobs = [] }) => jobs),
      modules.flatMap(({ handlers = [] }) => handlers),
    )
    const home = stack.opened('the home', await openHome(config.YARDMASTER_HOME), (it) => it.release())
    const keyRing = await findKeys(config.API_KEYS, home)
    const vapidKeys = await findVapidKeys(config.VAPID_PRIVATE_KEY, home)
    const storage = stack.opened(
      'the database',
      await openStorage({ databaseUrl: config.DATABASE_URL, home, log }),
      (it) => it.close(),
    )
    const vault = await openVault({ given: config.YARDMASTER_MASTER_KEY, home, db: storage.db })
    const vended = openVendedTokens({ db: storage.db, vault })
    const catalog: Catalog = stack.opened(
      'the catalog',
      await openCatalog({
        path: config.CATALOG_PATH,
        home: home.path,
        environment,
        defaultRoot: config.DEFAULT_AGENT_ROOT,
        log,
        vended,
        credentialState: (name, tx) => findSignInState({ catalog, clock: systemClock }, tx ?? storage.db, name),
      }),
      (it) => it.close(),
    )
    const { cache, signals } = await openShared(config, storage, log)
    stack.opened('the cache', cache, (it) => it.close())
    stack.opened('the signals', signals, (it) => it.close())
    const events = await openEvents({ db: storage.db, signals, log })
    const secrets = [
      ...ownSecrets(config, keyRing.keys),
      { label: 'VAPID_PRIVATE_KEY', value: vapidKeys.privateKey },
      // The embedded database has a password that no variable names.
      { label: 'DATABASE_URL', value: storage.connection.connectionString },
    ]
    const {
      runtimes,
      firstChoice,
      secrets: runtimeSecrets,
      prices: builtInPrices,
    } = await openDrivers(config.drivers, {
      modelsPath: config.MODELS_PATH,
      agentsFolder: home.in('agents'),
      environment,
    })
    const metrics = openMetrics({ host: home.hostId })
    const tracing = stack.opened('the traces', await openTraces(config, { home, metrics, log }), (it) => it.close())
    const houseRules = config.REDACTION_RULES_PATH === undefined ? [] : readRulesFile(config.REDACTION_RULES_PATH)
    const questions = openQuestionMemory({ events, clock: systemClock })
    const redactor = openRedactor({
      known: () => [
        ...secrets,
        ...runtimeSecrets,
        ...catalog.knownSecrets(),
        ...knownTokens(questions),
        ...vault.known(),
      ],
      rules: [...houseRules, ...rules],
      onWithheld: (about) => log.error(about, 'a text could not be redacted and is withheld'),
    })
    stack.opened('the redactor', redactor, (it) => it.close())
    const sealed = modules.flatMap((room) => room.sealed ?? [])
    const watched = { vault, db: storage.db, tables: sealed, log, onLoaded: vended.renew }
    stack.opened('the sealed values', await watchSealed(watched), (it) => it.close())
    const audit = openAuditLog({ db: storage.db, clock: systemClock, log, redact: redactor.excerpt })
    // Closed after the web server, whose last requests it records.
    stack.opened('the audit log', audit, (it) => it.close())
    const outbound = { allowedOrigins: config.OAUTH_ALLOWED_ORIGINS, ca: trustedAuthority }
    const gitHosts = allowedHosts(config.GIT_HOSTS)
    const agents = await openAgentConfinement(config, { home, hidden: storage.privatePaths })
    const app: App = {
      db: storage.db,
      control: storage.control,
      events,
      signals,
      cache,
      clock: systemClock,
      log,
      runtimes: registerRuntimes(runtimes),
      home,
      catalog,
      backlog: openBacklog({ agentRoot: config.BACKLOG_AGENT_ROOT }),
      outcomes: { agentRoot: config.OUTCOME_ANALYSIS_AGENT_ROOT },
      clones: openClones({ root: home.in('clones'), mirrorsRoot: home.in('mirrors'), hosts: gitHosts }),
      gitHosts,
      confinement: agents.confinement,
      ...openPlatforms(config),
      ...maintenanceParts(config, storage),
      push: openPush({
        keys: vapidKeys,
        subject: config.VAPID_SUBJECT,
        allowedOrigins: config.PUSH_ALLOWED_ORIGINS,
      }),
      background: background(log),
      runs: new Set(),
      batcher: createBatcher(),
      accountMutex: keyedMutex(),
      agentAccess: (runtime, sessionId) => accessOutsideTurns(app, runtime, sessionId),
      metrics,
      tracing,
      redactor,
      audit,
      vault,
      oauth: openOAuth(outbound),
      upstream: stack.opened('the connections to MCP servers', openUpstream(outbound), (it) => it.close()),
      refreshes: new Map(),
      social: socialSettings(config),
      vended,
      appHost: config.APP_HOST,
      prices: openPrices({ path: config.PRICES_PATH, builtIn: builtInPrices, clock: systemClock, log }),
      serviceUrl,
      isWorker: config.ROLE !== 'web',
      retention: {
        logs: config.RETENTION_LOG_DAYS,
        verboseLogs: config.RETENTION_VERBOSE_LOG_DAYS,
        events: config.RETENTION_EVENT_DAYS,
        notifications: config.RETENTION_NOTIFICATION_DAYS,
        turns: config.RETENTION_TURN_DAYS,
        snapshots: config.RETENTION_SNAPSHOT_DAYS,
        quotas: config.RETENTION_QUOTA_DAYS,
        orphans: config.RETENTION_ORPHAN_DAYS,
        deadJobs: config.RETENTION_DEAD_JOB_DAYS,
        audit: config.RETENTION_AUDIT_DAYS,
      },
      archiveDownloads: { open: 0 },
      webAuth: config.WEB_AUTH,
      signInKeys: signInKeys(keyRing.keys),
      agentSilenceSeconds: config.AGENT_SILENCE_SECONDS,
      questions,
      elicitationMinutes: config.ELICITATION_EXPIRATION_MINUTES,
      contentSearch: {
        budgetSeconds: config.SERVICE_CONTENT_SEARCH_BUDGET_SECONDS,
        chunkSessions: config.SERVICE_CONTENT_SEARCH_CHUNK_SIZE,
      },
    }
    registerMetrics(app, modules)
    stack.opened('the background work', app.background, (it) => it.drain())
    await chooseRuntimeAtFirstStart(app, firstChoice)
    const { default_runtime: defaultRuntime } = await readSettings(app.db)
    if (config.ROLE !== 'web') await startWork(app, storage, stack)
    // Closed before the web server, so that open event streams end and do not hold it up.
    const web =
      config.ROLE === 'worker'
        ? undefined
        : stack.opened('the web server', await openWeb(app, { ...webOptions, config, keys: keyRing.keys }), (it) =>
            it.server.close(),
          )
    const port = config.ROLE === 'worker' ? config.WORKER_PORT : undefined
    const workerWeb =
      port === undefined
        ? undefined
        : stack.opened(
            'the metrics of a worker',
            await openWorkerWeb(app, { config, keys: keyRing.keys, port }),
            (it) => it.server.close(),
          )
    resolveServiceUrl(config.SERVICE_URL?.replace(/\/+$/, '') ?? web?.url)
    if (web) await recordAddress(home, web.dashboardUrl)
    if (web && config.WEB_AUTH === 'none') log.warn(openPagesWarning)
    stack.opened('the events', events, (it) => it.close())
    if (config.ROLE !== 'web') agents.report(log)
    return {
      app,
      web,
      workerUrl: workerWeb?.url,
      defaultRuntime,
      isWorking: config.ROLE !== 'web',
      keyRing,
      stop: stack.close,
    }
  } catch (error) {
    resolveServiceUrl(undefined)
    await stack.close()
    throw error
  }
}

/** The server's own secrets, which the redactor removes from everything an agent prints. */
function ownSecrets(config: Config, keys: readonly string[]): KnownSecret[] {
  const values = secretVariables.flatMap((name) => {
    const value = config[name]
    return value ? [{ label: `ENV:${name}`, value }] : []
  })
  const headers = [...(readNameValues(config.OTEL_EXPORTER_OTLP_HEADERS ?? '')?.values() ?? [])]
  return [
    ...keys.map((value) => ({ label: 'API_KEY', value })),
    ...values,
    ...headers.map((value) => ({ label: 'ENV:OTEL_EXPORTER_OTLP_HEADERS', value })),
  ]
}

/** Also those of runs whose last output is still to be stored. */
function knownTokens({ issued }: QuestionMemory): KnownSecret[] {
  return [...issued.values()].map((value) => ({ label: 'ELICITATION_TOKEN', value }))
}

/** The external platforms, each configured by its token. Their vendors' clients are loaded by the first call. */
function openPlatforms(config: Config): Pick<App, 'chat' | 'forge'> {
  const { CHAT_TOKEN, CHAT_API_URL, CHAT_ALLOWED_USER_IDS, FORGE_TOKEN, FORGE_API_URL } = config
  const chat = CHAT_TOKEN === undefined ? undefined : openChat({ token: CHAT_TOKEN, apiUrl: CHAT_API_URL })
  const forge = FORGE_TOKEN === undefined ? undefined : openForge({ token: FORGE_TOKEN, apiUrl: FORGE_API_URL })
  return {
    chat: { isConfigured: chat !== undefined, client: chat, allowedUserIds: CHAT_ALLOWED_USER_IDS },
    forge: { isConfigured: forge !== undefined, client: forge },
  }
}

/** What the health report and its actions know of this host and of the rooms. */
function maintenanceParts(config: Config, { reports, pool }: Storage): MaintenanceParts {
  const { CHAT_TOKEN, CHAT_API_URL, FORGE_TOKEN, FORGE_API_URL } = config
  const external = [...(CHAT_TOKEN ? [CHAT_API_URL] : []), ...(FORGE_TOKEN ? [FORGE_API_URL] : [])]
  return {
    reports,
    connections: () => ({
      size: pool.options.max,
      inUse: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    queueOfJob: new Map(
      modules.flatMap(({ handlers = [] }) => handlers.map(({ job }) => [job.name, job.queue] as const)),
    ),
    periodic: modules.flatMap(({ periodic = [] }) => periodic),
    oneTimeTasks: modules.flatMap(({ oneTimeTasks = [] }) => oneTimeTasks),
    jobCounts: openJobCounts(),
    jobThreads: jobThreads(config),
    externalHosts: [...new Set(external.map((url) => new URL(url).hostname))],
    hasPauses: config.QUEUE_PAUSES === 'on',
    healthUnderway: {},
    criticalChecks: new Map(),
  }
}

/** Where a collector is configured. What sends spans is loaded only then. */
async function openTraces(
  config: Config,
  { home, metrics, log }: Pick<App, 'home' | 'metrics' | 'log'>,
): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = config
  if (endpoint === undefined) return noTracing
  const { openTracing } = await import('../platform/tracing/open-tracing.ts')
  return openTracing({
    endpoint,
    headers: readNameValues(headers) ?? new Map(),
    resource: {
      ...Object.fromEntries(readNameValues(config.OTEL_RESOURCE_ATTRIBUTES ?? '') ?? []),
      'service.name': config.OTEL_SERVICE_NAME,
      'service.version': version,
      'service.instance.id': home.hostId,
    },
    sampler: { kind: config.OTEL_TRACES_SAMPLER, ratio: config.OTEL_TRACES_SAMPLER_ARG },
    limits: { intervalMs: config.OTEL_BSP_SCHEDULE_DELAY },
    clock: systemClock,
    metrics,
    log,
  })
}

/** Redis, if configured, is cache and signals; its client is loaded only then. */
async function openShared(config: Config, storage: Storage, log: Log): Promise<{ cache: Cache; signals: Signals }> {
  const { connection, controlPool: pool } = storage
  if (config.REDIS_URL === undefined) {
    const cache = config.CACHE === 'none' ? noCache() : memoryCache({ clock: systemClock })
    return { cache, signals: await openPostgresSignals({ connection, pool, log }) }
  }
  const { openRedis, redisCache } = await import('../platform/cache/redis-cache.ts')
  const { openRedisSignals } = await import('../platform/events/redis-signals.ts')
  const redis = openRedis(config.REDIS_URL, log)
  return {
    cache: config.CACHE === 'none' ? { ...noCache(), ping: redisCache(redis).ping } : redisCache(redis),
    signals: await openRedisSignals({ redis, log }),
  }
}

/** Rooms recover first: no job, periodic run or subscription starts before that is done. */
async function startWork(app: App, storage: Storage, stack: ReturnType<typeof closing>): Promise<void> {
  for (const { recover } of modules) await recover?.(app)
  const { db, log, metrics, events } = app
  const { hostId } = app.home
  const paused = stack.opened('the paused queues', app.hasPauses ? await watchPauses({ db, log }) : noPauses, (it) =>
    it.close(),
  )
  const host = { app, db, hostId, events, metrics, log, paused, redact: app.redactor.text }
  const subscriptions = modules.flatMap(({ subscriptions = [] }) => subscriptions)
  for (const subscription of subscriptions) await openSubscription(host, subscription)
  const periodic = [
    ...modules.flatMap(({ periodic = [] }) => periodic),
    ...subscriptions.map((subscription) => asPeriodic(subscription, host)),
  ]
  stack.opened('the periodic tasks', await startPeriodic({ ...host, leaseDb: app.control, entries: periodic }), (it) =>
    it.drain(),
  )
  const runners = await startRunners({
    ...host,
    pool: storage.jobsPool,
    threads: app.jobThreads,
    handlers: modules.flatMap(({ handlers = [] }) => handlers),
    cron: modules.flatMap(({ cron = [] }) => cron),
    onEnded: (ended) => {
      const { queue, job, hasFailed } = ended
      metrics.jobs.inc({ queue, job, outcome: hasFailed ? 'failed' : 'succeeded' })
      app.jobCounts.record(ended)
    },
  })
  stack.opened('the job runners', runners, (it) => it.drain())
}
