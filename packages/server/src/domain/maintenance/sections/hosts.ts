import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { findAccounts, isReady } from '../../accounts/account.ts'
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
  // A host that stopped looking knows nothing about the network of now.
  const hosts = (await reporting(facts)).filter(({ isReportFresh }) => isReportFresh)
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
    status: judgeEgress(hosts.length, isChecked, names),
  }
}

function judgeEgress(hosts: number, isChecked: boolean, unresolved: readonly string[]) {
  if (hosts === 0) return unknown('No host has looked up names within a minute')
  if (!isChecked) return unknown('No external service is configured, so no name was looked up')
  if (unresolved.length > 0) return critical(`Names do not resolve: ${unresolved.join('; ')}`, 'egress_degraded')
  return healthy('DNS egress resolving')
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

/** The vendor accounts, where there are some; otherwise whether the agents' programs have a key or a login. */
export async function authHealth(app: App, facts: Facts): Promise<HealthReport['auth_health']> {
  const accounts = await findAccounts(app.reports)
  return accounts.length > 0 ? accountsHealth(app, accounts) : hostLoginHealth(app, facts)
}

type Accounts = Awaited<ReturnType<typeof findAccounts>>

/** A runtime whose pool is empty does not work at all; one whose spares have to be signed in works. */
function accountsHealth(app: App, accounts: Accounts): HealthReport['auth_health'] {
  const active = accounts.filter(({ status }) => status === 'active')
  const servable = accounts.filter((account) => isReady(account, app.clock.now()))
  const dead = accounts.filter(({ status }) => status === 'needs_reauth')
  const runtimes = [...new Set(accounts.map(({ runtime }) => runtime))]
  const empty = runtimes.filter((name) => !servable.some(({ runtime }) => runtime === name))
  const owners = accounts.filter(({ is_current }) => is_current).map(({ email }) => email)
  const names = dead.map(({ email, runtime }) => `${email} (${runtime})`).join(', ')
  const judge = () => {
    if (empty.length > 0) return critical(`No account can serve ${empty.join(', ')}`, 'pool_empty')
    if (dead.length > 0) return warning(`${counted(dead.length, 'account')} to sign in again`, 'account_needs_reauth')
    return healthy(`${counted(servable.length, 'account')} available`)
  }
  return {
    session_scoped_credentials: true,
    credentials_state: servable.length > 0 ? 'ok' : 'missing',
    credentials_detail: names === '' ? null : `To sign in again: ${names}`,
    credentials_owner: owners.length > 0 ? owners.join(', ') : null,
    repair_outlook: names === '' ? null : 'Sign in on the page /inference, or by POST /api/v1/login_attempts',
    available_accounts: active.length,
    serviceable_accounts: servable.length,
    needs_reauth_accounts: dead.length,
    checked_at: formatTimestamp(app.clock.now()),
    status: judge(),
  }
}

async function hostLoginHealth(app: App, facts: Facts): Promise<HealthReport['auth_health']> {
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
