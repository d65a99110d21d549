import type { HealthReport } from '@yardmaster/contract/health/report-fields'
import type { App } from '../../app.ts'
import { type RecordedProcess, selectRecordedProcesses } from '../turn-store.ts'
import { counted, critical, type Facts, type Host, healthy, unknown, warning } from './facts.ts'

const maxShown = 50
const manyOrphans = 5

export async function processHealth(app: App, facts: Facts): Promise<HealthReport['process_health']> {
  const live = (await facts.hosts()).filter(({ is_alive }) => is_alive)
  const recorded = await selectRecordedProcesses(app.reports)
  const observed = live.filter(({ report, isReportFresh }) => report && isReportFresh)
  const processes = observed.flatMap(({ id, report }) =>
    (report?.processes ?? []).map(({ pid, pids, command, is_orphaned }) => ({
      isOrphaned: is_orphaned,
      shown: { host: id, pid, command, running: true as const, processes: pids.length },
    })),
  )
  const orphans = processes.filter(({ isOrphaned }) => isOrphaned)
  const withPid = recorded.flatMap(({ pid }) => (pid === null ? [] : [pid]))
  const silent = live.length - observed.length
  const isSeen = ({ host, pid }: RecordedProcess) => pid === null || observed.some(({ id }) => id === host)
  const unseen = recorded.filter((each) => !isSeen(each)).length
  return {
    active_count: processes.length,
    active_processes: processes.slice(0, maxShown).map(({ shown }) => shown),
    orphaned_count: orphans.length,
    orphaned_processes: orphans.slice(0, maxShown).map(({ shown }) => shown),
    tracked_count: withPid.length,
    tracked_processes: withPid.slice(0, maxShown),
    recorded_count: recorded.length,
    recorded_processes: recorded.slice(0, maxShown).map(({ session_id, host, pid, age_seconds }) => ({
      session_id,
      host,
      pid,
      liveness: liveness({ host, pid, age_seconds }, observed),
    })),
    observable: silent === 0 && unseen === 0,
    status: judge(orphans.length, { silent, unseen }),
  }
}

/** A process younger than its host's report is in no report yet. */
function liveness(
  { host, pid, age_seconds }: Omit<RecordedProcess, 'session_id'>,
  observed: readonly Host[],
): 'alive' | 'dead' | 'unknown' | 'none' {
  if (pid === null) return 'none'
  const { report, seconds_since_report } = observed.find(({ id }) => id === host) ?? {}
  if (!report) return 'unknown'
  if (report.processes.some(({ pids }) => pids.includes(pid))) return 'alive'
  return age_seconds < (seconds_since_report ?? 0) ? 'unknown' : 'dead'
}

function judge(orphans: number, { silent, unseen }: { silent: number; unseen: number }) {
  if (orphans >= manyOrphans) return critical(`${orphans} orphaned processes detected`, 'orphaned_processes')
  if (orphans > 0)
    return warning(orphans === 1 ? '1 orphaned process detected' : `${orphans} orphaned processes detected`)
  if (silent > 0) return unknown(`${counted(silent, 'host')} did not report the processes of its agents`)
  if (unseen > 0) return unknown(`${counted(unseen, 'turn')} recorded a process on a host that no longer reports`)
  return healthy('No orphaned processes')
}
