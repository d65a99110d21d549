import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { App } from '../../app.ts'
import { selectCliReports } from '../cli-report-store.ts'
import { counted, critical, type Facts, type Host, healthy, unknown, warning } from './facts.ts'

/** The live hosts with what they report about themselves. */
async function reporting(facts: Facts) {
  return (await facts.hosts()).flatMap(({ report, ...host }: Host) =>
    host.is_alive && report ? [{ ...host, report }] : [],
  )
}

export async function egressHealth(_app: App, facts: Facts): Promise<HealthReport['egress_health']> {
  const hosts = await reporting(facts)
  const failed = hosts.flatMap(({ report }) => report.egress.failed)
  const since = hosts.flatMap(({ report }) => report.egress.degraded_since ?? []).toSorted()
  const checks = hosts.flatMap(({ reported_at }) => reported_at ?? [])
  const names = [...new Set(failed.map(({ name, reason }) => `${name} (${reason})`))]
  const isChecked = hosts.some(({ report }) => report.egress.checked.length > 0)
  return {
    hosts: hosts.map(({ id, report: { egress } }) => ({
      host: id,
      checked: egress.checked,
      failed: egress.failed.map(({ name, reason }) => `${name}: ${reason}`),
    })),
    resolver: hosts[0]?.report.egress.resolver ?? null,
    detail: names.length > 0 ? names.join('; ') : null,
    degraded_since: since[0] ?? null,
    checked_at: latest(checks),
    status: !isChecked
      ? unknown('No external service is configured, so no name was looked up')
      : names.length > 0
        ? critical(`Names do not resolve: ${names.join('; ')}`, 'egress_degraded')
        : healthy('DNS egress resolving'),
  }
}

export async function confinementHealth(_app: App, facts: Facts): Promise<HealthReport['agent_confinement']> {
  const hosts = (await reporting(facts)).map(({ id, report }) => ({
    host: id,
    hostname: report.hostname,
    ...report.confinement,
  }))
  const open = hosts.filter(({ mechanism }) => mechanism === 'none')
  const judge = () => {
    if (hosts.length === 0) return unknown('No host has reported yet')
    if (open.length === 0) return healthy('Agents are confined on every host')
    return warning(`Agents see the whole machine on ${counted(open.length, 'host')}`, 'agents_not_confined')
  }
  return { hosts, status: judge() }
}

/** As far as it is known without accounts: whether the agents' programs have a key or a login. */
export async function authHealth(app: App, facts: Facts): Promise<HealthReport['auth_health']> {
  const live = (await facts.hosts()).filter(({ is_alive }) => is_alive).map(({ id }) => id)
  const reports = (await selectCliReports(app.reports)).filter(({ host_id }) => live.includes(host_id))
  const tools = reports.flatMap((report) => Object.values(report.tools)).filter(({ installed }) => installed === true)
  const signedIn = new Set(tools.filter(({ authenticated }) => authenticated === true).map(({ name }) => name))
  const signedOut = new Set(tools.filter(({ authenticated }) => authenticated !== true).map(({ name }) => name))
  const isKnown = reports.length > 0
  const missing = [...signedOut].join(', ')
  return {
    session_scoped_credentials: false,
    credentials_state: !isKnown ? 'unknown' : signedIn.size > 0 ? 'ok' : 'missing',
    credentials_detail: missing === '' ? null : `Not signed in: ${missing}`,
    credentials_owner: null,
    repair_outlook: missing === '' ? null : 'GET /api/v1/clis/status says how to sign each of them in',
    available_accounts: signedIn.size,
    serviceable_accounts: signedIn.size,
    needs_reauth_accounts: signedOut.size,
    checked_at: latest(reports.map(({ checked_at }) => checked_at)),
    status: !isKnown
      ? unknown("No host has checked the agents' programs yet")
      : signedIn.size > 0
        ? healthy(`${counted(signedIn.size, 'agent')} signed in`)
        : healthy('No agent of a vendor is installed and signed in; the demo agent needs neither'),
  }
}

function latest(times: readonly Date[]): string | null {
  const [last] = times.toSorted((a, b) => b.getTime() - a.getTime())
  return last ? formatTimestamp(last) : null
}
