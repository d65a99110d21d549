import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Code } from '../../shared/kit/copy-button.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { Table } from '../../shared/kit/table.tsx'
import type { Report } from './report.ts'

/** The hosts, what each runs, and how many slots are taken. */
export function HostsPanel({ report }: { report: Report }): ReactNode {
  const { data: board } = useRead('board.summary', {}, { everyMs: 30_000 })
  const hosts = report.system_health.worker_stats?.worker_details ?? []
  const confinement = report.agent_confinement.hosts ?? []
  const orphans = report.process_health.orphaned_processes ?? []
  return (
    <Panel
      title="Hosts and slots"
      actions={
        board && (
          <span className="tabular text-muted text-sm">
            {board.spot.is_gated
              ? `${board.spot.live} running, ${board.spot.held} held; spot turns wait at ${board.spot.slots}`
              : `${board.spot.live} running, no limit`}
          </span>
        )
      }
    >
      <Table
        caption="Hosts"
        rows={hosts}
        keyOf={({ id }) => id}
        columns={[
          { name: 'host', label: 'Host', cell: ({ hostname, id }) => hostname ?? id },
          {
            name: 'state',
            label: 'State',
            cell: ({ is_active }) => (is_active ? <Badge tone="ok">alive</Badge> : <Badge tone="failed">silent</Badge>),
          },
          { name: 'turns', label: 'Turns', isNumber: true, cell: ({ turns }) => turns },
          {
            name: 'heartbeat',
            label: 'Heartbeat',
            isNumber: true,
            cell: ({ seconds_since_heartbeat }) =>
              seconds_since_heartbeat === null ? '' : `${Math.round(seconds_since_heartbeat)} s ago`,
          },
          { name: 'id', label: 'Id', isMinor: true, cell: ({ id }) => <Code label="id of the host">{id}</Code> },
          { name: 'version', label: 'Version', isMinor: true, cell: ({ version }) => version },
          {
            name: 'agents',
            label: 'Agents',
            isMinor: true,
            cell: ({ id }) => (
              <span className="text-muted text-sm">{confinement.find(({ host }) => host === id)?.sentence}</span>
            ),
          },
        ]}
      />
      {orphans.length > 0 && (
        <Table
          caption="Processes that no turn owns"
          rows={orphans}
          keyOf={({ host, pid }) => `${host} ${pid}`}
          columns={[
            {
              name: 'pid',
              label: 'Process no turn owns',
              cell: ({ pid }) => <Code label="process id">{String(pid)}</Code>,
            },
            { name: 'command', label: 'Command', cell: ({ command }) => <Code label="command">{command}</Code> },
          ]}
        />
      )}
    </Panel>
  )
}
