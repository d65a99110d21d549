import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import { transact } from '../../platform/db/transact.ts'
import type { App } from '../app.ts'
import { healthChanged } from '../queues/events.ts'
import { showHealth } from './report.ts'

/** What stops work for everyone. Accounts tell by themselves; the rest can wait until a person looks. */
const watched = [
  'system_health',
  'background_health',
  'egress_health',
] as const satisfies readonly (keyof HealthReport)[]

/** A part that is critical once may be a burst, or a host that restarts. */
const checksToBeSure = 2

/**
 * Announces a part that is critical in two checks in a row, and that it no longer is. One host does this while it is alive, so the
 * counts are in its memory; after a restart people are told again.
 */
export async function watchHealth(app: App): Promise<void> {
  const { health_report: report } = await showHealth(app)
  for (const part of watched) {
    const { status, message } = report[part].status
    // What could not be found out is no news.
    if (status === 'unknown') continue
    const before = app.criticalChecks.get(part) ?? 0
    const checks = status === 'critical' ? before + 1 : 0
    if (checks === checksToBeSure) await announce(app, { part, change: 'critical', message })
    if (checks === 0 && before >= checksToBeSure) await announce(app, { part, change: 'recovered', message })
    app.criticalChecks.set(part, checks)
  }
}

type Change = { part: string; change: 'critical' | 'recovered'; message: string }

async function announce(app: App, payload: Change): Promise<void> {
  await transact(app.db, (tx) => app.events.publish(tx, healthChanged, { payload }))
  const { part, change, message } = payload
  if (change === 'critical') app.log.error({ part, message }, 'health is critical')
  else app.log.warn({ part, message }, 'health is no longer critical')
}
