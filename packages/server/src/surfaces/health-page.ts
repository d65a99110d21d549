import type { Health, HealthReport, HealthStatus } from '@yardmaster/contract/health/report-fields'
import { type Html, html, type Interpolated } from '../platform/html/html.ts'
import type { Page } from '../platform/html/page.ts'
import { actionForm, badge, facts, foreignText, table } from '../platform/html/parts.ts'

type Options = { query: unknown; hasPauses: boolean }

/** The report as a page. What an action did arrives in the query as its name and one number, so no address can forge a text. */
export function healthPage(health: Health, { query, hasPauses }: Options): Page {
  const { health_report: report } = health
  const asked = Object(query)
  return {
    title: 'Health',
    lead: html`${state(report.overall_status)}. Version ${health.version}, as of ${report.generated_at}.
      <a href="/health?refresh=on">Refresh every 30 s</a> · <a href="/health/export_diagnostics">Export diagnostics</a>`,
    ...(Reflect.get(asked, 'refresh') === 'on' && { refreshSeconds: 30 }),
    body: html`${outcomeOf(asked)}
      ${recovery(health, hasPauses)}
      ${summary(report)}
      ${hosts(report)}
      ${queues(report)}
      ${failures(report)}
      ${background(report)}
      ${actions()}`,
  }
}

const tones = { healthy: 'good', warning: 'warn', critical: 'bad', unknown: 'info' } as const

function state({ status, message }: HealthStatus): Html {
  return html`${badge(status, tones[status])} ${message}`
}

const outcomes: Record<string, (count: number) => string> = {
  cleanup_processes: (count) => `${count} processes were ended.`,
  retry_sessions: (count) => `${count} sessions start again.`,
  archive_old: (count) => `${count} sessions were archived.`,
  enter_queue_recovery_mode: (count) => `The queues are halted for ${count} minutes.`,
  exit_queue_recovery_mode: () => 'The queues go on.',
  run_post_deploy_tasks: (count) => `${count} failed tasks will be tried again, and a pass begins soon.`,
  discard_queued_jobs: (count) => `${count} jobs were discarded.`,
  reschedule_queued_jobs: (count) => `${count} jobs were moved.`,
}

function outcomeOf(query: object): Html {
  const name = String(Reflect.get(query, 'did') ?? '')
  const count = Number(Reflect.get(query, 'count') ?? 0)
  const say = Object.hasOwn(outcomes, name) ? outcomes[name] : undefined
  return html`${say && Number.isSafeInteger(count) && html`<p class="notice good" role="status">${say(count)}</p>`}`
}

function recovery({ queue_recovery_mode: mode }: Health, hasPauses: boolean): Html {
  if (mode === null) return html`<p class="notice info">Whether the queues are halted is not known.</p>`
  if (!mode.active) return html``
  return html`<div class="notice warn"><p><b>Queue recovery mode is on</b> since ${mode.entered_at ?? ''}, until ${mode.expires_at ?? ''}.
    Halted: ${mode.halted_queues.join(', ')}. ${mode.reason !== null && html`Reason: ${foreignText(mode.reason)}`}</p>
    ${hasPauses && actionForm({ action: '/health/exit_queue_recovery_mode', button: 'Let the queues go on' })}</div>`
}

const headings: readonly (readonly [Exclude<keyof HealthReport, 'overall_status' | 'generated_at'>, string])[] = [
  ['process_health', 'Agent processes'],
  ['session_health', 'Sessions'],
  ['system_health', 'Queues and hosts'],
  ['background_health', 'Background work'],
  ['egress_health', 'Network'],
  ['auth_health', 'Sign-in of agents'],
  ['agent_confinement', 'Confinement of agents'],
  ['web_auth', 'Sign-in'],
  ['retry_budget_health', 'Retries'],
  ['post_deploy_task_health', 'One-time tasks'],
  ['log_retention_health', 'Logs'],
]

function summary(report: HealthReport): Html {
  const rows = headings.map(([name, label]) => {
    const { status, message } = report[name].status
    return [label, badge(status, tones[status]), message]
  })
  return html`<h2>Summary</h2>${table(['Part', 'State', 'What it means'], rows)}`
}

function hosts({ system_health, agent_confinement, process_health }: HealthReport): Html {
  const workers = system_health.worker_stats?.worker_details ?? []
  const orphans = process_health.orphaned_processes ?? []
  const rows = workers.map(({ id, hostname, version, is_active, seconds_since_heartbeat, turns }) => [
    html`<code>${id}</code>`,
    foreignText(hostname ?? ''),
    version ?? '',
    is_active ? badge('alive', 'good') : badge('silent', 'bad'),
    seconds_since_heartbeat === null ? '' : `${seconds_since_heartbeat} s ago`,
    turns,
    agent_confinement.hosts?.find(({ host }) => host === id)?.sentence ?? '',
  ])
  return html`<h2>Hosts</h2>
    ${table(['Id', 'Name', 'Version', 'State', 'Heartbeat', 'Turns', 'Agents'], rows)}
    ${
      orphans.length > 0 &&
      html`<h3>Processes that no turn owns</h3>
    ${table(
      ['Host', 'Pid', 'Command'],
      orphans.map(({ host, pid, command }) => [
        html`<code>${host}</code>`,
        pid,
        html`<code>${foreignText(command)}</code>`,
      ]),
    )}`
    }`
}

function queues({ system_health: { queue_stats: stats } }: HealthReport): Html {
  if (!stats) return html``
  const names = new Set([
    ...Object.keys(stats.ready_count_by_queue),
    ...Object.keys(stats.scheduled_count_by_queue),
    ...Object.keys(stats.claimed_count_by_queue),
    ...Object.keys(stats.finished_last_hour_by_queue),
  ])
  const rows = [...names]
    .toSorted()
    .map((name) => [
      name,
      stats.ready_count_by_queue[name] ?? 0,
      age(stats.oldest_ready_age_seconds_by_queue[name]),
      stats.claimed_count_by_queue[name] ?? 0,
      age(stats.oldest_claimed_age_seconds_by_queue[name]),
      stats.scheduled_count_by_queue[name] ?? 0,
      stats.finished_last_hour_by_queue[name] ?? 0,
    ])
  return html`<h2>Queues</h2>
    ${table(['Queue', 'Due', 'Oldest', 'At work', 'Longest', 'Later', 'Ended in the last hour'], rows)}`
}

function age(seconds: number | undefined): string {
  return seconds === undefined ? '' : `${seconds} s`
}

function failures({ session_health, system_health }: HealthReport): Html {
  const counts = Object.entries(session_health.sessions_by_status ?? {})
  const recent = session_health.recent_failures ?? []
  const errors = system_health.recent_errors ?? []
  return html`<h2>Sessions</h2>
    ${facts(counts)}
    ${
      recent.length > 0 &&
      html`<h3>Failed in the last 24 hours</h3>
    ${table(
      ['Session', 'Title', 'Reason', 'Last error'],
      recent.map(({ id, title, failure_reason, last_error }) => [
        id,
        foreignText(title ?? ''),
        foreignText(failure_reason ?? ''),
        foreignText(last_error ?? ''),
      ]),
    )}`
    }
    ${
      errors.length > 0 &&
      html`<h3>Errors in the last hour</h3>
    ${table(
      ['Session', 'When', 'Error'],
      errors.map(({ session_id, created_at, content }) => [session_id, created_at, foreignText(content)]),
    )}`
    }`
}

function background({ background_health: { periodic = [], subscriptions = [] } }: HealthReport): Html {
  const troubled = periodic.filter(({ is_late, consecutive_failures }) => is_late || consecutive_failures > 0)
  const behind = subscriptions.filter(({ events_behind, failed_events }) => events_behind > 0 || failed_events > 0)
  const tasks = troubled.map(({ name, lag_seconds, consecutive_failures, last_error }): Interpolated[] => [
    name,
    lag_seconds ?? '',
    consecutive_failures,
    foreignText(last_error ?? ''),
  ])
  return html`${tasks.length > 0 && html`<h2>Periodic tasks in trouble</h2>${table(['Task', 'Late by, s', 'Failures', 'Last error'], tasks)}`}
    ${
      behind.length > 0 &&
      html`<h2>Subscriptions with work left</h2>
    ${table(
      ['Subscription', 'Events behind', 'Oldest, s', 'Given up', 'Last error'],
      behind.map((each) => [
        each.name,
        each.events_behind,
        each.lag_seconds ?? '',
        each.failed_events,
        foreignText(each.last_error ?? ''),
      ]),
    )}`
    }`
}

function actions(): Html {
  const at = (name: string) => `/health/${name}`
  return html`<h2>Actions</h2>
    <p class="soft">They ask for the operator's password.</p>
    ${actionForm({ action: at('cleanup_processes'), button: 'End processes that no turn owns' })}
    ${actionForm({ action: at('retry_sessions'), button: 'Retry sessions that failed in the last 24 hours' })}
    ${actionForm({
      action: at('archive_old'),
      button: 'Archive idle sessions',
      fields: [{ name: 'days', label: 'Idle for days', value: 7, type: 'number' }],
    })}
    ${actionForm({
      action: at('enter_queue_recovery_mode'),
      button: 'Halt the queues',
      isDangerous: true,
      fields: [
        { name: 'ttl_minutes', label: 'For minutes', value: 60, type: 'number' },
        { name: 'reason', label: 'Reason' },
      ],
    })}
    ${actionForm({ action: at('run_post_deploy_tasks'), button: 'Try failed one-time tasks again' })}
    ${actionForm({
      action: at('discard_queued_jobs'),
      button: 'Discard queued jobs',
      isDangerous: true,
      fields: [
        { name: 'queue_name', label: 'Queue' },
        { name: 'job_class', label: 'Class' },
        { name: 'expected_count', label: 'How many', hint: 'Exactly the number that waits' },
        { name: 'reason', label: 'Reason' },
      ],
    })}`
}
