import type { Budget, HealthReport, HealthStatus } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../../app.ts'
import { startRetryDelaysSeconds } from '../../inbox/inbox.ts'
import { type Retries, retryWindowDays } from '../turn-store.ts'
import { counted, type Facts, healthy, warning } from './facts.ts'

export async function retryBudgetHealth(_app: App, facts: Facts): Promise<HealthReport['retry_budget_health']> {
  const [starts, interruptions] = await Promise.all([facts.failedStarts(), facts.interruptions()])
  const budgets = [
    budget('failed_starts', starts, startRetryDelaysSeconds.length),
    budget('interruptions', interruptions, null),
  ]
  const exhausted = starts.failed
  return {
    window_days: retryWindowDays,
    budgets,
    status: exhausted > 0 ? warning(`${exhausted} turns failed at every start`) : healthy('No retries are exhausted'),
  }
}

function budget(name: string, retries: Retries, max: number | null): Budget {
  return {
    name,
    max_retries: max,
    total_sessions: retries.sessions,
    total_retries_attempted: retries.retries,
    successful_recovery_count: retries.completed,
    exhausted_retry_count: retries.failed,
    recent_count: retries.recent,
    recent_sessions: sessionsOf(retries, 'last_retry_at'),
  }
}

export async function sigtermHealth(_app: App, facts: Facts): Promise<HealthReport['sigterm_retry_health']> {
  const [retries, rateLimits] = await Promise.all([facts.interruptions(), facts.rateLimits()])
  return {
    total_sigterm_sessions: retries.sessions,
    recent_sigterm_count: retries.recent,
    recent_sigterm_sessions: sessionsOf(retries, 'last_sigterm_at'),
    ...common(retries, { max: null, rateLimits }),
    status: healthy('Interrupted turns are continued'),
  }
}

export async function apiErrorHealth(_app: App, facts: Facts): Promise<HealthReport['api_error_retry_health']> {
  const [retries, failures, rateLimits] = await Promise.all([
    facts.failedStarts(),
    facts.failures(),
    facts.rateLimits(),
  ])
  const quota = failures.find(({ reason }) => reason === 'rate_limit')
  return {
    total_api_error_sessions: retries.sessions,
    recent_api_error_count: retries.recent,
    recent_api_error_sessions: sessionsOf(retries, 'last_api_error_at'),
    quota_limit_sessions_count: quota?.count ?? 0,
    recent_quota_limit_count: quota?.recent ?? 0,
    ...common(retries, { max: startRetryDelaysSeconds.length, rateLimits }),
    status: apiErrorStatus(retries, rateLimits),
  }
}

function apiErrorStatus({ failed }: Retries, rateLimits: number): HealthStatus {
  if (failed > 0) return warning(`${failed} turns failed at every start`)
  return rateLimits > 0
    ? warning(`The rate limit of a vendor ended ${counted(rateLimits, 'turn')} within 5 minutes`, 'rate_limit_pressure')
    : healthy('Turns start')
}

/** How long a retry of ours waits does not depend on rate limits, so the mode is always `normal`. */
function common(retries: Retries, { max, rateLimits }: { max: number | null; rateLimits: number }) {
  return {
    total_retries_attempted: retries.retries,
    successful_recovery_count: retries.completed,
    exhausted_retry_count: retries.failed,
    rate_limit_pressure: rateLimits > 0,
    rate_limit_events_5min: rateLimits,
    current_delay_mode: 'normal' as const,
    max_retries: max,
  }
}

/** `last` names the time of the last retry, as callers know it in each section. */
function sessionsOf<Last extends string>({ recent_sessions: sessions }: Retries, last: Last) {
  return sessions.map(({ last_retry_at, updated_at, ...session }) => ({
    ...session,
    ...({ [last]: formatTimestamp(last_retry_at) } as Record<Last, string>), // a computed key loses its type
    updated_at: formatTimestamp(updated_at),
  }))
}
