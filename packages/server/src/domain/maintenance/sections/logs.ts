import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../../app.ts'
import { measureLogs } from '../session-store.ts'
import { counted, healthy } from './facts.ts'

export async function logRetentionHealth(app: App): Promise<HealthReport['log_retention_health']> {
  const size = await measureLogs(app.reports)
  if (!size) throw new Error('the table of log lines was not found')
  const { oldest_days: days, oldest_log_at, oldest_verbose_log_at, ...sizes } = size
  return {
    ...sizes,
    oldest_log_at: oldest_log_at && formatTimestamp(oldest_log_at),
    oldest_verbose_log_at: oldest_verbose_log_at && formatTimestamp(oldest_verbose_log_at),
    // 0 keeps them for ever.
    retention_days: app.retention.logs || null,
    verbose_retention_days: app.retention.verboseLogs || null,
    status: healthy(
      days === null ? 'There are no log lines' : `The oldest log line is ${counted(Math.floor(days), 'day')} old`,
    ),
  }
}
