import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { outcomeTone } from './outcome-tone.ts'

type Outcome = Result<'outcome_analyses.list'>['outcome_analyses'][number]

const columns: readonly Column<Outcome>[] = [
  {
    name: 'session',
    label: 'Session',
    cell: ({ session_id }) => (
      <Link to="/outcomes/$id" params={{ id: String(session_id) }} className="font-medium hover:underline">
        Session {session_id}
      </Link>
    ),
  },
  {
    name: 'outcome',
    label: 'Outcome',
    cell: ({ root_outcome }) => <Badge tone={outcomeTone(root_outcome)}>{root_outcome}</Badge>,
  },
  { name: 'root', label: 'Root', isMinor: true, cell: ({ agent_root }) => agent_root },
  { name: 'segments', label: 'Segments', isNumber: true, cell: ({ segment_count }) => segment_count },
  {
    name: 'failed',
    label: 'Failed',
    isNumber: true,
    isMinor: true,
    cell: ({ failure_segment_count }) => failure_segment_count,
  },
  { name: 'at', label: 'Analysed', isNumber: true, cell: ({ analyzed_at }) => <Time at={analyzed_at} /> },
]

export default function OutcomesPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('outcome_analyses.list', { per_page: 100 })
  const outcomes = data?.outcome_analyses ?? []
  return (
    <Page title="Outcomes" note="What sessions tried, and whether it worked">
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton />}
        {data && outcomes.length === 0 && (
          <EmptyState icon="chart-column" title="No session was analysed yet">
            Open a session and ask for its outcome.
          </EmptyState>
        )}
        {outcomes.length > 0 && <Table caption="Outcomes" columns={columns} rows={outcomes} keyOf={({ id }) => id} />}
      </Panel>
    </Page>
  )
}
