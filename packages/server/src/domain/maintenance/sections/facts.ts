import type { HealthStatus } from '@yardmaster/contract/health/report-fields'
import { findPausedQueues } from '../../../platform/jobs/pauses.ts'
import { once } from '../../../platform/once.ts'
import type { App } from '../../app.ts'
import { HostReport } from '../host-report.ts'
import { type HostRow, selectHosts } from '../host-report-store.ts'
import { countFailures } from '../session-store.ts'
import { countRateLimits, selectFailedStarts, selectInterruptions } from '../turn-store.ts'

export type Host = Omit<HostRow, 'report'> & { report: HostReport | undefined; isReportFresh: boolean }

/** What several sections are made of: read once for each report, by the section that needs it first. */
export type Facts = ReturnType<typeof openFacts>

export function openFacts(app: App) {
  const db = app.reports
  return {
    hosts: once(async () => (await selectHosts(db)).map(withReport)),
    failures: once(() => countFailures(db)),
    failedStarts: once(() => selectFailedStarts(db)),
    interruptions: once(() => selectInterruptions(db)),
    rateLimits: once(() => countRateLimits(db)),
    pausedQueues: once(async () => (app.hasPauses ? findPausedQueues(db) : new Set<string>())),
  }
}

/** A host reports every 15 seconds. */
const freshSeconds = 60

/** A report of another version that cannot be read counts as none. */
function withReport({ report, ...row }: HostRow): Host {
  const isReportFresh = (row.seconds_since_report ?? Number.POSITIVE_INFINITY) < freshSeconds
  return { ...row, report: HostReport.safeParse(report).data, isReportFresh }
}

export const healthy = (message: string): HealthStatus => ({ status: 'healthy', message, code: null })
export const warning = (message: string, code: string | null = null): HealthStatus => ({
  status: 'warning',
  message,
  code,
})
export const critical = (message: string, code: string | null = null): HealthStatus => ({
  status: 'critical',
  message,
  code,
})
export const unknown = (message: string, code: string | null = null): HealthStatus => ({
  status: 'unknown',
  message,
  code,
})

/** `1 host`, `2 hosts`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
