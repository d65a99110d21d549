import { z } from 'zod'
import { Timestamp } from '../timestamp.ts'
import { RecoveryMode } from './queue-fields.ts'

export const HealthStatus = z
  .object({
    status: z
      .enum(['healthy', 'warning', 'critical', 'unknown'])
      .meta({ description: 'unknown: it could not be found out; the message says why.' }),
    message: z.string().meta({ description: 'For people.' }),
    code: z.string().nullable().meta({ description: 'For programs, such as execution_stalled.' }),
  })
  .meta({ id: 'HealthStatus' })

export type HealthStatus = z.infer<typeof HealthStatus>

const counts = z.record(z.string(), z.number())

/** One section. When it could not be computed only its status is there. */
function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .object(shape)
    .partial()
    .extend({ status: HealthStatus.meta({ description: 'How this part is doing.' }) })
}

const AgentProcess = z.object({
  host: z.string().meta({ description: 'The host it runs on.' }),
  pid: z.int().meta({ description: 'Its process id there.' }),
  command: z.string().meta({ description: 'How it was started, redacted.' }),
  running: z.literal(true).meta({ description: 'It was running when its host reported last.' }),
  processes: z.int().meta({ description: 'How many processes belong to its run.' }),
})

const processHealth = section({
  active_count: z.int().meta({ description: 'Agents at work on all hosts.' }),
  active_processes: z.array(AgentProcess).meta({ description: 'The first 50 of them.' }),
  orphaned_count: z.int().meta({ description: 'Agents that no turn owns; cleanup_processes ends them.' }),
  orphaned_processes: z.array(AgentProcess).meta({ description: 'The first 50 of them.' }),
  tracked_count: z.int().meta({ description: 'Turns that have recorded a process.' }),
  tracked_processes: z.array(z.int()).meta({ description: 'Their process ids; the first 50.' }),
  recorded_count: z.int().meta({ description: 'Turns that are executing.' }),
  recorded_processes: z
    .array(
      z.object({
        session_id: z.int().meta({ description: 'The session.' }),
        host: z.string().nullable().meta({ description: 'The host that runs it.' }),
        pid: z.int().nullable().meta({ description: 'The process it recorded.' }),
        liveness: z.enum(['alive', 'dead', 'unknown', 'none']).meta({
          description: 'Whether the host sees it. none: no process is recorded. unknown: the host is silent.',
        }),
      }),
    )
    .meta({ description: 'The first 50 of them.' }),
  observable: z.boolean().meta({ description: 'Whether every host that runs turns has reported within a minute.' }),
})

/** Readers of the page `/health` that show no key and no password get null for each name. */
const namedSession = {
  id: z.int().meta({ description: 'The session.' }),
  slug: z.string().nullable().meta({ description: 'Its slug.' }),
  title: z.string().nullable().meta({ description: 'Its title.' }),
  status: z.string().meta({ description: 'Its status.' }),
  git_root: z.string().nullable().meta({ description: 'Its repository; null only for readers without a key.' }),
  updated_at: Timestamp.meta({ description: 'When it last changed.' }),
}

const FailedSession = z.object({
  ...namedSession,
  last_error: z.string().nullable().meta({ description: 'The last error in its log; at most 100 characters.' }),
  failure_reason: z.string().nullable().meta({ description: 'Why its last turn failed.' }),
})

const sessionHealth = section({
  sessions_by_status: counts.meta({ description: 'Sessions by status.' }),
  total_sessions: z.int().meta({ description: 'All sessions.' }),
  recent_failures: z
    .array(FailedSession)
    .meta({ description: 'Failed in the last 24 hours, newest first, at most 10.' }),
  failure_rate: z.number().meta({ description: 'Failed sessions among all.' }),
  error_categories: counts.meta({ description: 'The recent failures by kind of their last error.' }),
  failure_reasons: counts.meta({ description: 'Failures of the last 24 hours by reason.' }),
  average_duration_seconds: z
    .number()
    .nullable()
    .meta({ description: 'From creation to the last change, of sessions that came to rest within 7 days.' }),
})

const bySeconds = counts.meta({ description: 'Seconds, by queue.' })

/** `last` names the time of the last retry. */
function retriedSessions<Last extends string>(last: Last) {
  const time = { [last]: Timestamp.meta({ description: 'When it was last retried.' }) }
  const session = z.object({
    ...namedSession,
    retry_count: z.int().meta({ description: 'Its retries of this kind within 30 days.' }),
    ...(time as Record<Last, typeof Timestamp>), // a computed key loses its type
  })
  return z.array(session).meta({ description: 'Their sessions, newest first, at most 5.' })
}

export const QueueStats = z.object({
  pending_count: z.int().meta({ description: 'Ready, scheduled and claimed jobs together.' }),
  ready_count: z.int().meta({ description: 'Due and not claimed.' }),
  scheduled_count: z.int().meta({ description: 'Due later.' }),
  claimed_count: z.int().meta({ description: 'At work on a host.' }),
  failed_count: z.int().meta({ description: 'Of the pending ones, those that failed before.' }),
  dead_count: z.int().meta({ description: 'Given up after their last attempt, or discarded.' }),
  ready_count_by_queue: counts.meta({
    description: 'Due jobs, by queue. A queue without any is absent, here and below.',
  }),
  scheduled_count_by_queue: counts.meta({ description: 'Later jobs, by queue.' }),
  claimed_count_by_queue: counts.meta({ description: 'Jobs at work, by queue.' }),
  oldest_ready_age_seconds_by_queue: bySeconds,
  oldest_claimed_age_seconds_by_queue: bySeconds,
  youngest_claimed_age_seconds_by_queue: bySeconds,
  oldest_claimed_job_class_by_queue: z
    .record(z.string(), z.string())
    .meta({ description: 'What has been at work for longest, by queue.' }),
  oldest_ready_age_seconds: z.number().nullable().meta({ description: 'Of all queues.' }),
  oldest_claimed_age_seconds: z.number().nullable().meta({ description: 'Of all queues.' }),
  processing_rate_per_hour: z.int().meta({ description: 'Jobs that ended within the last hour.' }),
  finished_last_hour_by_queue: counts.meta({ description: 'The same, by queue.' }),
  last_finished_at: Timestamp.nullable().meta({ description: 'When the last job ended.' }),
  seconds_since_last_finished: z.number().nullable().meta({ description: 'Seconds since then.' }),
})

export type QueueStats = z.infer<typeof QueueStats>

const WorkerDetail = z.object({
  id: z.string().meta({ description: 'The id of the host.' }),
  hostname: z.string().nullable().meta({ description: 'Its name.' }),
  version: z.string().nullable().meta({ description: 'The version it runs.' }),
  is_active: z.boolean().meta({ description: 'Whether it is alive.' }),
  last_heartbeat: Timestamp.nullable().meta({ description: 'When it last said so.' }),
  seconds_since_heartbeat: z.number().nullable().meta({ description: 'Seconds since then.' }),
  turns: z.int().meta({ description: 'Turns that it runs.' }),
})

const systemHealth = section({
  queue_depth: z.int().meta({ description: 'Jobs that are due and not claimed.' }),
  queue_stats: QueueStats.meta({ description: 'The queues.' }),
  worker_stats: z
    .object({
      total_workers: z.int().meta({ description: 'Hosts seen within a week.' }),
      active_workers: z.int().meta({ description: 'Hosts that are alive.' }),
      worker_details: z.array(WorkerDetail).meta({ description: 'Each of them.' }),
    })
    .meta({ description: 'The hosts that run turns and jobs.' }),
  recent_errors: z
    .array(
      z.object({
        id: z.int().meta({ description: 'The line.' }),
        session_id: z.int().meta({ description: 'Its session.' }),
        content: z.string().meta({ description: 'At most 200 characters of it.' }),
        created_at: Timestamp.meta({ description: 'When it was written.' }),
      }),
    )
    .meta({ description: 'Errors in the logs of sessions within the last hour, newest first, at most 20.' }),
  database_status: z
    .object({
      connected: z.boolean().meta({ description: 'Whether it answers.' }),
      pool_size: z.int().meta({ description: 'Connections that this host may open for requests.' }),
      connections_in_use: z.int().meta({ description: 'Those that are in use.' }),
      waiting: z.int().meta({ description: 'Requests that wait for one.' }),
      error: z.string().optional().meta({ description: 'Why it does not answer.' }),
    })
    .meta({ description: 'The database as this host sees it.' }),
})

const backgroundHealth = section({
  periodic: z
    .array(
      z.object({
        name: z.string().meta({ description: 'The task.' }),
        host: z.string().nullable().meta({ description: 'The host that ran it; null if none has.' }),
        queue: z.string().nullable().meta({ description: 'Pausing this queue pauses the task.' }),
        interval_seconds: z.number().meta({ description: 'How often it is due.' }),
        last_run_at: Timestamp.nullable().meta({ description: 'When it last ended.' }),
        lag_seconds: z.number().nullable().meta({ description: 'Seconds beyond the interval; 0 while it is on time.' }),
        is_late: z.boolean().meta({ description: 'Whether it has been due for far too long.' }),
        consecutive_failures: z.int().meta({ description: 'Runs that failed in a row.' }),
        last_error: z.string().nullable().meta({ description: 'The last error, also after a later success.' }),
      }),
    )
    .meta({ description: 'Tasks that run at an interval.' }),
  subscriptions: z
    .array(
      z.object({
        name: z.string().meta({ description: 'The subscription.' }),
        events_behind: z.int().meta({ description: 'Events that it has not handled.' }),
        lag_seconds: z.number().nullable().meta({ description: 'Age of the oldest of them.' }),
        attempts: z.int().meta({ description: 'Failed attempts on that one.' }),
        failed_events: z.int().meta({ description: 'Events that it gave up on within 30 days.' }),
        last_error: z.string().nullable().meta({ description: 'Why the last attempt failed.' }),
      }),
    )
    .meta({ description: 'Work that follows events.' }),
})

const Budget = z.object({
  name: z
    .string()
    .meta({ description: 'failed_starts: before the agent had its prompt. interruptions: while it worked.' }),
  max_retries: z.int().nullable().meta({ description: 'Attempts after the first; null if there is no limit.' }),
  total_sessions: z.int().meta({ description: 'Sessions that needed any.' }),
  total_retries_attempted: z.int().meta({ description: 'Retries of all sessions.' }),
  successful_recovery_count: z.int().meta({ description: 'Of the turns that were retried, those that completed.' }),
  exhausted_retry_count: z.int().meta({ description: 'Those that failed for good.' }),
  recent_count: z.int().meta({ description: 'Turns retried within 24 hours.' }),
  recent_sessions: retriedSessions('last_retry_at'),
})

export type Budget = z.infer<typeof Budget>

const retryHealth = section({
  window_days: z.int().meta({ description: 'How far back the numbers reach.' }),
  budgets: z.array(Budget).meta({ description: 'Each kind of retry.' }),
})

const pressure = {
  total_retries_attempted: Budget.shape.total_retries_attempted,
  successful_recovery_count: Budget.shape.successful_recovery_count,
  exhausted_retry_count: Budget.shape.exhausted_retry_count,
  rate_limit_pressure: z
    .boolean()
    .meta({ description: 'Whether the rate limit of a vendor ended a turn within 5 minutes.' }),
  rate_limit_events_5min: z
    .int()
    .meta({ description: 'How many turns that were. Calls that an agent repeats by itself are not among them.' }),
  current_delay_mode: z
    .enum(['normal', 'escalated'])
    .meta({ description: 'How long retries wait. Those of the service never wait longer: `normal`.' }),
  max_retries: Budget.shape.max_retries,
}

const sigtermHealth = section({
  total_sigterm_sessions: z.int().meta({ description: 'Sessions whose agent was interrupted by a stop of its host.' }),
  recent_sigterm_count: z.int().meta({ description: 'Turns that continued such work within 24 hours.' }),
  recent_sigterm_sessions: retriedSessions('last_sigterm_at'),
  ...pressure,
})

const apiErrorHealth = section({
  total_api_error_sessions: z
    .int()
    .meta({ description: 'Sessions whose turn failed before the agent had its prompt.' }),
  recent_api_error_count: z.int().meta({ description: 'Such turns within 24 hours.' }),
  recent_api_error_sessions: retriedSessions('last_api_error_at'),
  quota_limit_sessions_count: z.int().meta({ description: 'Sessions that failed for an exhausted quota.' }),
  recent_quota_limit_count: z.int().meta({ description: 'Of these, within 24 hours.' }),
  ...pressure,
})

const egressHealth = section({
  hosts: z
    .array(
      z.object({
        host: z.string().meta({ description: 'The host that looked.' }),
        failed: z.array(z.string()).meta({ description: 'Names that it could not resolve, each with the reason.' }),
        checked: z.array(z.string()).meta({ description: 'Names that it looked up.' }),
      }),
    )
    .meta({ description: 'Each host that runs turns.' }),
  resolver: z.string().nullable().meta({ description: 'The name servers of the first host.' }),
  detail: z.string().nullable().meta({ description: 'What does not resolve.' }),
  degraded_since: Timestamp.nullable().meta({ description: 'Since when.' }),
  checked_at: Timestamp.nullable().meta({ description: 'When the last host looked.' }),
})

const authHealth = section({
  session_scoped_credentials: z.boolean().meta({ description: 'Whether each session has a login of its own.' }),
  credentials_state: z.enum(['ok', 'missing', 'unknown']).meta({ description: 'Whether an agent is signed in.' }),
  credentials_detail: z.string().nullable().meta({ description: 'Which agents are not.' }),
  credentials_owner: z.string().nullable().meta({ description: 'Who owns them, if that is known.' }),
  repair_outlook: z.string().nullable().meta({ description: 'What to do.' }),
  available_accounts: z
    .int()
    .meta({ description: 'Active accounts; without accounts, agents that are installed and signed in.' }),
  serviceable_accounts: z.int().meta({ description: 'Those that can serve now.' }),
  needs_reauth_accounts: z
    .int()
    .meta({ description: 'Accounts to sign in again; without accounts, agents that are installed and not signed in.' }),
  checked_at: Timestamp.nullable().meta({ description: 'When the last host looked.' }),
})

const webAuthHealth = section({
  mode: z.enum(['session', 'none']).meta({ description: 'What WEB_AUTH says; none: the dashboard is open.' }),
})

const confinementHealth = section({
  hosts: z
    .array(
      z.object({
        host: z.string().meta({ description: 'The host.' }),
        hostname: z.string().meta({ description: 'Its name.' }),
        mode: z.string().meta({ description: 'What AGENT_CONFINEMENT demands.' }),
        mechanism: z.string().meta({ description: 'What keeps it; none if agents see the whole host.' }),
        sentence: z.string().meta({ description: 'The same in words.' }),
      }),
    )
    .meta({ description: 'Each host that runs turns.' }),
})

const logHealth = section({
  estimated_rows: z.int().meta({ description: 'Lines in the logs of all sessions, roughly.' }),
  total_bytes: z.int().meta({ description: 'What they take, with their indexes.' }),
  index_bytes: z.int().meta({ description: 'What the indexes take.' }),
  oldest_log_at: Timestamp.nullable().meta({ description: 'The first line.' }),
  oldest_verbose_log_at: Timestamp.nullable().meta({ description: 'The first verbose line among the oldest lines.' }),
  retention_days: z.int().nullable().meta({ description: 'How long lines are kept; null if for ever.' }),
  verbose_retention_days: z.int().nullable().meta({ description: 'The same for verbose lines.' }),
})

const taskHealth = section({
  total: z.int().meta({ description: 'All tasks.' }),
  pending: z.int().meta({ description: 'Not begun, or between two slices.' }),
  running: z.int().meta({ description: 'At work.' }),
  succeeded: z.int().meta({ description: 'Done.' }),
  failed: z.int().meta({ description: 'Failed.' }),
  blocked: z.int().meta({ description: 'Failed too often to be tried again.' }),
  awaiting_first_tick: z.int().meta({ description: 'Not recorded yet.' }),
  tasks: z.array(z.looseObject({})).meta({ description: 'Those that have not succeeded.' }),
})

export const HealthReport = z
  .object({
    process_health: processHealth.meta({ description: "The agents' processes, by host." }),
    session_health: sessionHealth.meta({ description: 'Sessions and their failures.' }),
    system_health: systemHealth.meta({ description: 'Queues, hosts, database.' }),
    background_health: backgroundHealth.meta({ description: 'Periodic tasks and subscriptions.' }),
    egress_health: egressHealth.meta({ description: 'Whether hosts resolve the names of other services.' }),
    auth_health: authHealth.meta({ description: 'Whether agents are signed in.' }),
    agent_confinement: confinementHealth.meta({ description: 'What agents see of each host.' }),
    web_auth: webAuthHealth.meta({ description: 'Whether the dashboard asks people to sign in.' }),
    retry_budget_health: retryHealth.meta({ description: 'Retries of turns.' }),
    sigterm_retry_health: sigtermHealth.meta({ description: 'Turns that were continued after a stop of their host.' }),
    api_error_retry_health: apiErrorHealth.meta({ description: 'Turns that started again.' }),
    post_deploy_task_health: taskHealth.meta({ description: 'One-time tasks of new versions.' }),
    log_retention_health: logHealth.meta({ description: 'The logs of sessions.' }),
    overall_status: HealthStatus.meta({ description: 'The worst of all parts but logs, retries and confinement.' }),
    generated_at: Timestamp.meta({ description: 'When it was computed.' }),
  })
  .meta({ id: 'HealthReport' })

export type HealthReport = z.infer<typeof HealthReport>

export const Health = z.object({
  health_report: HealthReport,
  queue_recovery_mode: RecoveryMode.nullable().meta({ description: 'Null if it could not be read in time.' }),
  timestamp: Timestamp.meta({ description: 'Now.' }),
  rails_env: z.string().meta({ description: 'The environment; the name is historical.' }),
  ruby_version: z.string().meta({ description: 'The version of the language runtime; the name is historical.' }),
  version: z.string().meta({ description: 'The version of Yardmaster on the host that answers.' }),
  commit: z.string().nullable().meta({ description: 'The commit that it was built from; null if that is not known.' }),
})

export type Health = z.infer<typeof Health>
