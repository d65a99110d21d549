import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'

type Decision = Result<'gate_decisions.list'>['gate_decisions'][number]

const columns: readonly Column<Decision>[] = [
  { name: 'title', label: 'What', cell: ({ title }) => <span className="font-medium">{title}</span> },
  { name: 'gate', label: 'Gate', cell: ({ gate }) => <Badge>{gate}</Badge> },
  { name: 'decision', label: 'Decision', cell: ({ decision }) => <Badge tone="accent">{decision}</Badge> },
  { name: 'surface', label: 'Surface', isMinor: true, cell: ({ surface }) => surface },
  {
    name: 'feedback',
    label: 'Feedback',
    isNumber: true,
    isMinor: true,
    cell: ({ human_feedback }) => human_feedback.length,
  },
  { name: 'recorded', label: 'Recorded', isNumber: true, cell: ({ recorded_at }) => <Time at={recorded_at} /> },
]

export default function GateDecisionsPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('gate_decisions.list', { per_page: 100 })
  const decisions = data?.gate_decisions ?? []
  return (
    <Page title="Gate decisions" note="What gates let through, and what people thought of it">
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        {isLoading && <Skeleton />}
        {data && decisions.length === 0 && (
          <EmptyState icon="gavel" title="No decision was recorded yet">
            Agents that judge proposals record their decisions here.
          </EmptyState>
        )}
        {decisions.length > 0 && (
          <Table caption="Gate decisions" columns={columns} rows={decisions} keyOf={({ id }) => id} />
        )}
      </Panel>
    </Page>
  )
}
