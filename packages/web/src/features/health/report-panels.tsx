import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { Facts } from '../../shared/kit/facts.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Table } from '../../shared/kit/table.tsx'
import { formatDuration, Time } from '../../shared/kit/time.tsx'
import type { Report } from './report.ts'

const bytes = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'byte',
  notation: 'compact',
  unitDisplay: 'narrow',
})

/** Sessions that failed in the last day, and errors in the logs of the last hour. */
export function FailuresPanel({ report: { session_health, system_health } }: { report: Report }): ReactNode {
  const failures = session_health.recent_failures ?? []
  const errors = system_health.recent_errors ?? []
  return (
    <Panel title="Failures">
      {failures.length === 0 && errors.length === 0 && (
        <p className="p-3 text-muted">
          No session failed in the last 24 hours, and no log has an error of the last hour.
        </p>
      )}
      {failures.length > 0 && (
        <Table
          caption="Sessions that failed in the last 24 hours"
          rows={failures}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'session',
              label: 'Failed in the last 24 hours',
              cell: ({ id, title }) => (
                <Link to="/sessions/$id" params={{ id: String(id) }} className="font-medium hover:underline">
                  {title ?? `Session ${id}`}
                </Link>
              ),
            },
            {
              name: 'why',
              label: 'Why',
              cell: ({ failure_reason, last_error }) => failure_reason?.replaceAll('_', ' ') ?? last_error,
            },
            {
              name: 'at',
              label: 'Changed',
              isNumber: true,
              isMinor: true,
              cell: ({ updated_at }) => <Time at={updated_at} />,
            },
          ]}
        />
      )}
      {errors.length > 0 && (
        <Table
          caption="Errors in the logs of the last hour"
          rows={errors}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'session',
              label: 'Error in the last hour',
              cell: ({ session_id }) => (
                <Link
                  to="/sessions/$id"
                  params={{ id: String(session_id) }}
                  className="whitespace-nowrap hover:underline"
                >
                  Session {session_id}
                </Link>
              ),
            },
            { name: 'what', label: 'What', cell: ({ content }) => <span className="break-words">{content}</span> },
            {
              name: 'at',
              label: 'When',
              isNumber: true,
              isMinor: true,
              cell: ({ created_at }) => <Time at={created_at} />,
            },
          ]}
        />
      )}
    </Panel>
  )
}

/** Only what is late, failed or behind: dozens of tasks that are on time say nothing. */
export function BackgroundPanel({ report: { background_health } }: { report: Report }): ReactNode {
  const { periodic = [], subscriptions = [] } = background_health
  const troubled = periodic.filter(({ is_late, consecutive_failures }) => is_late || consecutive_failures > 0)
  const behind = subscriptions.filter(({ events_behind, failed_events }) => events_behind > 0 || failed_events > 0)
  return (
    <Panel title="Background work">
      {troubled.length === 0 && behind.length === 0 && (
        <p className="p-3 text-muted">
          {periodic.length} periodic tasks are on time, {subscriptions.length} subscriptions are up to date.
        </p>
      )}
      {troubled.length > 0 && (
        <Table
          caption="Periodic tasks in trouble"
          rows={troubled}
          keyOf={({ name, host }) => `${name} ${host}`}
          columns={[
            { name: 'task', label: 'Task', cell: ({ name }) => name },
            {
              name: 'late',
              label: 'Late by',
              isNumber: true,
              cell: ({ lag_seconds }) => (lag_seconds === null ? '' : formatDuration(lag_seconds)),
            },
            {
              name: 'failures',
              label: 'Failures',
              isNumber: true,
              cell: ({ consecutive_failures }) => consecutive_failures,
            },
            { name: 'error', label: 'Last error', isMinor: true, cell: ({ last_error }) => last_error },
          ]}
        />
      )}
      {behind.length > 0 && (
        <Table
          caption="Subscriptions with work left"
          rows={behind}
          keyOf={({ name }) => name}
          columns={[
            { name: 'subscription', label: 'Subscription', cell: ({ name }) => name },
            { name: 'behind', label: 'Events behind', isNumber: true, cell: ({ events_behind }) => events_behind },
            { name: 'given up', label: 'Given up', isNumber: true, cell: ({ failed_events }) => failed_events },
            { name: 'error', label: 'Last error', isMinor: true, cell: ({ last_error }) => last_error },
          ]}
        />
      )}
    </Panel>
  )
}

/** The rest of the report, in figures. */
export function FiguresPanel({ report }: { report: Report }): ReactNode {
  const { session_health, process_health, system_health, retry_budget_health, post_deploy_task_health } = report
  const { auth_health, log_retention_health, egress_health } = report
  const byStatus = Object.entries(session_health.sessions_by_status ?? {})
  const database = system_health.database_status
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Figures title="Sessions and agents">
        <Facts
          of={[
            ...byStatus.map(([status, count]) => [words(status), count] as const),
            ['All sessions', session_health.total_sessions],
            ['Agents at work', process_health.active_count],
            ['Agents no turn owns', process_health.orphaned_count],
            ['Signed in', auth_health.available_accounts],
            ['Must sign in again', auth_health.needs_reauth_accounts],
            ['What to do', auth_health.repair_outlook],
          ]}
        />
      </Figures>
      <Figures title="Database, network and logs">
        <Facts
          of={[
            ['Database', database && (database.connected ? 'answers' : (database.error ?? 'does not answer'))],
            ['Connections', database && `${database.connections_in_use} of ${database.pool_size}`],
            ['Waiting for one', database?.waiting],
            ['Names that do not resolve', egress_health.detail],
            ['Log lines', log_retention_health.estimated_rows?.toLocaleString()],
            [
              'Logs take',
              log_retention_health.total_bytes !== undefined && bytes.format(log_retention_health.total_bytes),
            ],
            [
              'Logs are kept',
              log_retention_health.retention_days === null ? 'for ever' : days(log_retention_health.retention_days),
            ],
          ]}
        />
      </Figures>
      <Figures title="Retries">
        <Facts
          of={(retry_budget_health.budgets ?? []).flatMap((budget) => [
            [
              words(budget.name),
              `${budget.total_retries_attempted} retries of ${budget.total_sessions} sessions; ${budget.successful_recovery_count} recovered, ${budget.exhausted_retry_count} failed for good`,
            ],
          ])}
        />
      </Figures>
      <Figures title="One-time tasks">
        <Facts
          of={[
            ['All', post_deploy_task_health.total],
            ['Done', post_deploy_task_health.succeeded],
            ['Waiting', post_deploy_task_health.pending],
            ['Failed', post_deploy_task_health.failed],
            [
              'Blocked',
              post_deploy_task_health.blocked && <Badge tone="failed">{post_deploy_task_health.blocked}</Badge>,
            ],
          ]}
        />
      </Figures>
    </div>
  )
}

function Figures({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <Panel title={title}>
      <div className="tabular p-3">{children}</div>
    </Panel>
  )
}

function words(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function days(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count} days`
}
