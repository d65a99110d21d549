import type { ReactNode } from 'react'
import { serverPage } from '../../shared/api/private-path.ts'
import { Panel } from '../../shared/kit/page.tsx'
import { Table } from '../../shared/kit/table.tsx'
import { formatDuration } from '../../shared/kit/time.tsx'
import type { Report } from './report.ts'

export function QueuesPanel({ report }: { report: Report }): ReactNode {
  const stats = report.system_health.queue_stats
  if (!stats) return null
  const names = new Set([
    ...Object.keys(stats.ready_count_by_queue),
    ...Object.keys(stats.scheduled_count_by_queue),
    ...Object.keys(stats.claimed_count_by_queue),
    ...Object.keys(stats.finished_last_hour_by_queue),
  ])
  const age = (seconds: number | undefined) => (seconds === undefined ? '' : formatDuration(seconds))
  return (
    <Panel
      title="Queues"
      actions={
        <a href={serverPage('/jobs')} className="text-accent-text text-sm hover:underline">
          All jobs
        </a>
      }
    >
      {names.size === 0 ? (
        <p className="p-3 text-muted">No job waits, and none ended in the last hour.</p>
      ) : (
        <Table
          caption="Queues"
          rows={[...names].toSorted()}
          keyOf={(name) => name}
          columns={[
            { name: 'queue', label: 'Queue', cell: (name) => <span className="font-medium">{name}</span> },
            { name: 'due', label: 'Due', isNumber: true, cell: (name) => stats.ready_count_by_queue[name] ?? 0 },
            {
              name: 'oldest',
              label: 'Oldest',
              isNumber: true,
              isMinor: true,
              cell: (name) => age(stats.oldest_ready_age_seconds_by_queue[name]),
            },
            {
              name: 'claimed',
              label: 'At work',
              isNumber: true,
              cell: (name) => stats.claimed_count_by_queue[name] ?? 0,
            },
            {
              name: 'longest',
              label: 'Longest',
              isNumber: true,
              isMinor: true,
              cell: (name) => age(stats.oldest_claimed_age_seconds_by_queue[name]),
            },
            {
              name: 'later',
              label: 'Later',
              isNumber: true,
              cell: (name) => stats.scheduled_count_by_queue[name] ?? 0,
            },
            {
              name: 'ended',
              label: 'Ended in an hour',
              isNumber: true,
              isMinor: true,
              cell: (name) => stats.finished_last_hour_by_queue[name] ?? 0,
            },
          ]}
        />
      )}
    </Panel>
  )
}
