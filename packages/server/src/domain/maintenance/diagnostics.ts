import { arch, platform, release, totalmem } from 'node:os'
import type { Health } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../app.ts'
import { countQueuedJobs } from '../queues/queues.ts'
import { readSettings } from '../settings/settings.ts'
import { showHealth } from './report.ts'
import { withoutNames } from './without-names.ts'

/**
 * One JSON file for a bug report. It names no session, repository, command, host or person, and everything in it is redacted like
 * what is stored. A part that the database does not deliver is left out.
 */
export async function exportDiagnostics(app: App): Promise<string> {
  const health = await showHealth(app)
  const [settings, queuedJobs] = await Promise.all([
    readSettings(app.reports).catch(() => null),
    countQueuedJobs({ ...app, db: app.reports }, { job_class: undefined, queue_name: undefined }).catch(() => null),
  ])
  const diagnostics = {
    ...withoutPeople(withoutNames(health)),
    exported_at: formatTimestamp(app.clock.now()),
    settings,
    queued_jobs: queuedJobs,
    runtimes: app.runtimes.names(),
    cache: app.cache.store,
    process: {
      platform: `${platform()} ${arch()} ${release()}`,
      uptime_seconds: Math.floor(process.uptime()),
      memory_bytes: process.memoryUsage.rss(),
      machine_memory_bytes: totalmem(),
    },
  }
  const lines = JSON.stringify(diagnostics, null, 2).split('\n')
  return (await app.redactor.lines(lines)).join('\n')
}

const ofPeople = ['hostname', 'reason', 'entered_by']

function withoutPeople(health: Health): object {
  return JSON.parse(
    JSON.stringify(health, (key, value) => (ofPeople.includes(key) && value !== null ? '[left out]' : value)),
  )
}
