import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { dollars } from './dollars.ts'

type Costs = Result<'costs.show'>
type Model = Costs['by_model'][number]
type Spender = Costs['top_sessions'][number]

const models: readonly Column<Model>[] = [
  { name: 'model', label: 'Model', cell: ({ model }) => model },
  { name: 'calls', label: 'Calls', isNumber: true, cell: ({ api_calls }) => api_calls.toLocaleString() },
  { name: 'cost', label: 'Cost', isNumber: true, cell: ({ cost_usd }) => dollars(cost_usd) },
]

const spenders: readonly Column<Spender>[] = [
  {
    name: 'session',
    label: 'Session',
    cell: ({ session_id, title }) =>
      session_id === null ? (
        'A deleted session'
      ) : (
        <Link to="/sessions/$id" params={{ id: String(session_id) }} className="font-medium hover:underline">
          {title ?? `Session ${session_id}`}
        </Link>
      ),
  },
  { name: 'cost', label: 'Cost', isNumber: true, cell: ({ cost_usd }) => dollars(cost_usd) },
]

export default function CostsPage(): ReactNode {
  const { data, error, isLoading, refetch } = useRead('costs.show', { days: 30 })
  return (
    <Page title="Costs" note="The last 30 days">
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isLoading && <Skeleton />}
      {data && (
        <>
          <p className="tabular font-semibold text-2xl tracking-tight">{dollars(data.totals.cost_usd)}</p>
          {data.totals.api_calls === 0 ? (
            <EmptyState icon="dollar-sign" title="Nothing was spent">
              Costs appear when an agent calls a model.
            </EmptyState>
          ) : (
            <div className="grid gap-4 lg:grid-cols-2">
              <Panel title="By model">
                <Table
                  caption="Costs by model"
                  columns={models}
                  rows={data.by_model}
                  keyOf={({ model }) => model ?? ''}
                />
              </Panel>
              <Panel title="Sessions that cost most">
                <Table
                  caption="Sessions that cost most"
                  columns={spenders}
                  rows={data.top_sessions}
                  keyOf={({ session_id }) => session_id ?? 'deleted'}
                />
              </Panel>
            </div>
          )}
        </>
      )}
    </Page>
  )
}
