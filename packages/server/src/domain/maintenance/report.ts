import { setTimeout as wait } from 'node:timers/promises'
import type { Health, HealthReport, HealthStatus } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { commit, version } from '../../platform/version.ts'
import type { App } from '../app.ts'
import { showRecoveryMode } from '../queues/queues.ts'
import { summariseTasks } from './post-deploy-tasks.ts'
import { backgroundHealth } from './sections/background.ts'
import { critical, type Facts, healthy, openFacts, unknown, warning } from './sections/facts.ts'
import { authHealth, confinementHealth, egressHealth } from './sections/hosts.ts'
import { logRetentionHealth } from './sections/logs.ts'
import { processHealth } from './sections/processes.ts'
import { apiErrorHealth, retryBudgetHealth, sigtermHealth } from './sections/retries.ts'
import { sessionHealth } from './sections/sessions.ts'
import { databaseStatus, systemHealth } from './sections/system.ts'
import { webAuthHealth } from './sections/web-auth.ts'

type Sections = Omit<HealthReport, 'overall_status' | 'generated_at'>

const sections: { [Name in keyof Sections]: (app: App, facts: Facts) => Promise<Sections[Name]> } = {
  process_health: processHealth,
  session_health: sessionHealth,
  system_health: systemHealth,
  background_health: backgroundHealth,
  egress_health: egressHealth,
  auth_health: authHealth,
  agent_confinement: confinementHealth,
  web_auth: webAuthHealth,
  retry_budget_health: retryBudgetHealth,
  sigterm_retry_health: sigtermHealth,
  api_error_retry_health: apiErrorHealth,
  post_deploy_task_health: (app) => summariseTasks(app, app.reports),
  log_retention_health: logRetentionHealth,
}

/** The whole report answers within two seconds: what is not known by then is said to be unknown. */
const sectionMs = 1500

/** These decide the overall status. One that failed counts as a warning. */
const decisive = [
  'process_health',
  'session_health',
  'system_health',
  'background_health',
  'egress_health',
  'auth_health',
  'web_auth',
  'post_deploy_task_health',
] as const satisfies readonly (keyof Sections)[]

export function showHealth(app: App): Promise<Health> {
  const { healthUnderway: underway } = app
  underway.report ??= computeHealth(app).finally(() => {
    underway.report = undefined
  })
  return underway.report
}

async function computeHealth(app: App): Promise<Health> {
  const facts = openFacts(app)
  // First, so that it does not wait for a connection behind the sections.
  const database = databaseStatus(app, inTime)
  const names = Object.keys(sections) as (keyof Sections)[] // Object.keys loses the key type
  const [computed, recovery] = await Promise.all([
    Promise.all(names.map(async (name) => [name, await compute(app, name, facts)] as const)),
    inTime(showRecoveryMode(app, app.reports)).catch(() => null),
  ])
  const parts = Object.fromEntries(computed) as Sections // each section under its own name
  parts.system_health.database_status = await database
  const now = formatTimestamp(app.clock.now())
  return {
    health_report: { ...parts, overall_status: overall(parts), generated_at: now },
    queue_recovery_mode: recovery,
    timestamp: now,
    rails_env: process.env.NODE_ENV ?? 'production',
    ruby_version: process.versions.node,
    version,
    commit,
  }
}

/** A section that fails or is slow does not fail the report. Its reason may quote a statement, so it is redacted. */
async function compute(app: App, name: keyof Sections, facts: Facts): Promise<{ status: HealthStatus }> {
  try {
    return await inTime<{ status: HealthStatus }>(sections[name](app, facts))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    app.log.warn({ section: name, reason }, 'a section of the health report could not be computed')
    return { status: unknown(await app.redactor.text(reason), 'section_failed') }
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const limit = wait(sectionMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`It was not known within ${sectionMs / 1000} s`)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    done.abort()
    limit.catch(() => undefined)
  }
}

function overall(parts: Sections): HealthStatus {
  const states = decisive.map((name) => parts[name].status)
  if (states.some(({ status }) => status === 'critical')) return critical('One or more critical issues detected')
  const isQuiet = ({ status, code }: HealthStatus) => status === 'healthy' || (status === 'unknown' && code === null)
  return states.every(isQuiet) ? healthy('All systems operational') : warning('One or more warnings detected')
}
