import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Segments } from '../../shared/kit/segments.tsx'
import { StackedBars } from '../../shared/kit/stacked-bars.tsx'
import { formatTime } from '../../shared/kit/time.tsx'
import { BudgetsPanel } from './budgets-panel.tsx'
import { CostTotals } from './cost-totals.tsx'
import { type CostsSearch, type Grouping, type Unit, windows } from './costs-search.ts'
import { daysOf } from './days-of.ts'
import { compact, dollars } from './dollars.ts'
import { LedgerPanel } from './ledger-panel.tsx'
import { Spenders } from './spenders.tsx'
import { UnpricedNote } from './unpriced-note.tsx'

const groupings: readonly { value: Grouping; label: string }[] = [
  { value: 'root', label: 'Root' },
  { value: 'model', label: 'Model' },
  { value: 'source', label: 'Source' },
]

export default function CostsPage(): ReactNode {
  const search: CostsSearch = useSearch({ from: '/shell/costs' })
  const { days = 30, root, session } = search
  const navigate = useNavigate()
  const change = (changes: CostsSearch) => void navigate({ to: '/costs', search: { ...search, ...changes } })
  const { data, error, isLoading, refetch } = useRead(
    'costs.show',
    { days, ...(root && { agent_root: root }), ...(session && { session_id: session }) },
    { everyMs: 60_000 },
  )
  // Where no model has a rate, the tokens tell more than a row of zeros.
  const unit: Unit = search.unit ?? (data && data.totals.cost_usd === 0 ? 'tokens' : 'dollars')
  const by = unit === 'tokens' && search.by === 'source' ? 'root' : (search.by ?? 'root')
  const isScoped = root !== undefined || session !== undefined
  return (
    <Page
      title="Costs"
      note={
        data && (
          <span data-tip={`${formatTime(data.window.from)} to ${formatTime(data.window.to)}`}>
            At list price, not a bill. Days are days in UTC.
          </span>
        )
      }
      actions={
        <>
          <Segments
            label="Unit"
            value={unit}
            onChange={(chosen) => change({ unit: chosen })}
            options={[
              { value: 'dollars', label: 'Dollars' },
              { value: 'tokens', label: 'Tokens' },
            ]}
          />
          <Segments
            label="Window"
            value={days}
            onChange={(chosen) => change({ days: chosen })}
            options={windows.map((each) => ({ value: each, label: each === 1 ? '24 h' : `${each} d` }))}
          />
        </>
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      {isScoped && (
        <p className="flex flex-wrap items-center gap-2">
          <span className="text-muted">Only {root ? 'the root' : 'session'}</span>
          <strong>{root ?? session}</strong>
          <Button size="sm" icon="x" onClick={() => change({ root: undefined, session: undefined })}>
            Show all costs
          </Button>
        </p>
      )}
      {isLoading && <Skeleton />}
      {data && (
        <>
          <CostTotals costs={data} />
          <UnpricedNote models={data.unpriced_models} problem={data.pricing.problem} />
          <Panel
            title="By day"
            actions={
              <Segments
                label="Group by"
                value={by}
                onChange={(chosen) => change({ by: chosen })}
                options={unit === 'tokens' ? groupings.slice(0, 2) : groupings}
              />
            }
          >
            {data.totals.api_calls === 0 ? (
              <EmptyState icon="dollar-sign" title="Nothing was spent in this window">
                Costs appear when an agent calls a model. Choose a longer window, or read the history again below.
              </EmptyState>
            ) : (
              <StackedBars
                caption={unit === 'tokens' ? 'Tokens by day' : 'Costs by day'}
                barLabel="Day"
                format={unit === 'tokens' ? compact : dollars}
                {...daysOf(data, { by, unit })}
              />
            )}
          </Panel>
          {data.totals.api_calls > 0 && (
            <Spenders costs={data} unit={unit} onRoot={(name) => change({ root: name, session: undefined })} />
          )}
        </>
      )}
      <BudgetsPanel />
      {data && <LedgerPanel coverage={data.ledger_coverage} />}
    </Page>
  )
}
