import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { truncate } from '../../../platform/truncate.ts'
import type { App } from '../../app.ts'
import { averageSeconds, countByStatus, selectFailures } from '../session-store.ts'
import { critical, type Facts, healthy, warning } from './facts.ts'

const maxFailures = 10
const errorLength = 100

/** What an error is about, by words in it; the first that matches. */
const categories = [
  ['timeout', /time[ds]? ?out|deadline/i],
  ['permission', /permission|denied|forbidden|unauthori[sz]ed/i],
  ['connection', /connect|network|resolve|unreachable|ECONN/i],
  ['api_error', /\bapi\b|\b[45]\d\d\b|rate.?limit|overloaded|quota/i],
] as const

export async function sessionHealth(app: App, facts: Facts): Promise<HealthReport['session_health']> {
  const db = app.reports
  const [byStatus, failures, recent, average] = await Promise.all([
    countByStatus(db),
    facts.failures(),
    selectFailures(db, maxFailures),
    averageSeconds(db),
  ])
  const total = byStatus.reduce((sum, { count }) => sum + count, 0)
  const failed = byStatus.find(({ status }) => status === 'failed')?.count ?? 0
  const rate = total === 0 ? 0 : Math.round((failed / total) * 1000) / 1000
  const errors: Record<string, number> = {}
  for (const { last_error } of recent) {
    const category = categoryOf(last_error)
    errors[category] = (errors[category] ?? 0) + 1
  }
  return {
    sessions_by_status: Object.fromEntries(byStatus.map(({ status, count }) => [status, count])),
    total_sessions: total,
    recent_failures: recent.map(({ updated_at, last_error, ...session }) => ({
      ...session,
      updated_at: formatTimestamp(updated_at),
      last_error: last_error === null ? null : truncate(last_error, errorLength),
    })),
    failure_rate: rate,
    error_categories: errors,
    failure_reasons: Object.fromEntries(
      failures.filter((each) => each.recent > 0).map((each) => [each.reason, each.recent]),
    ),
    average_duration_seconds: average,
    status: judge(rate),
  }
}

function categoryOf(error: string | null): string {
  if (error === null) return 'unknown'
  return categories.find(([, words]) => words.test(error))?.[0] ?? 'other'
}

function judge(rate: number) {
  const percent = `${Math.round(rate * 100)} % of all sessions have failed`
  if (rate >= 0.25) return critical(percent, 'failure_rate')
  return rate >= 0.1 ? warning(percent, 'failure_rate') : healthy('Normal failure rate')
}
