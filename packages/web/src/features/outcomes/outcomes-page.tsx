import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { DateRange } from '../../shared/kit/date-range.tsx'
import { Select } from '../../shared/kit/field.tsx'
import { filterChoices } from '../../shared/kit/filter-choices.ts'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'
import { AnalyseDialog } from './analyse-dialog.tsx'
import { BatchProgress } from './batch-progress.tsx'
import { filtersOf } from './outcome-filters.ts'
import { outcomeTone } from './outcome-tone.ts'
import type { OutcomesSearch } from './outcomes-search.ts'
import type { Outcome } from './rates.ts'
import { RatesPanel } from './rates-panel.tsx'

const columns: readonly Column<Outcome>[] = [
  {
    name: 'session',
    label: 'Session',
    cell: ({ session_id, session_title }) => (
      <span className="flex min-w-0 items-baseline gap-2">
        <Link
          to="/outcomes/$id"
          params={{ id: String(session_id) }}
          className="min-w-0 truncate font-medium hover:underline"
        >
          {session_title ?? `Session ${session_id}`}
        </Link>
        <span className="tabular shrink-0 text-muted text-sm">#{session_id}</span>
      </span>
    ),
  },
  {
    name: 'outcome',
    label: 'Outcome',
    cell: ({ root_outcome }) => <Badge tone={outcomeTone(root_outcome)}>{root_outcome}</Badge>,
  },
  { name: 'root', label: 'Root', isMinor: true, cell: ({ agent_root }) => agent_root },
  { name: 'model', label: 'Model', isMinor: true, cell: ({ agent_runtime, model }) => model ?? agent_runtime },
  {
    name: 'segments',
    label: 'Segments',
    isNumber: true,
    cell: ({ segment_count, failure_segment_count }) =>
      failure_segment_count > 0 ? `${segment_count}, ${failure_segment_count} failed` : segment_count,
  },
  {
    name: 'created',
    label: 'Created',
    isNumber: true,
    isMinor: true,
    cell: ({ session_created_at }) => <Time at={session_created_at} />,
  },
  {
    name: 'at',
    label: 'Analysed',
    isNumber: true,
    isMinor: true,
    cell: ({ analyzed_at }) => <Time at={analyzed_at} />,
  },
]

export default function OutcomesPage(): ReactNode {
  const search: OutcomesSearch = useSearch({ from: '/shell/outcomes' })
  const navigate = useNavigate()
  const [isAnalysing, setAnalysing] = useState(false)
  const { batch, page = 1 } = search
  const filters = filtersOf(search)
  const { data, error, isLoading, refetch } = useRead('outcome_analyses.list', { ...filters, page, per_page: 50 })
  const outcomes = data?.outcome_analyses ?? []
  const change = (changes: OutcomesSearch, options = {}) =>
    void navigate({ to: '/outcomes', search: { ...search, page: undefined, ...changes }, ...options })
  return (
    <Page
      title="Outcomes"
      note="What sessions tried, and whether it worked"
      actions={
        <Button look="primary" icon="sparkles" onClick={() => setAnalysing(true)}>
          Analyse sessions
        </Button>
      }
    >
      {batch !== undefined && <BatchProgress id={batch} onClose={() => change({ batch: undefined })} />}
      <ErrorNote error={error} onRetry={() => refetch()} />
      <RatesPanel search={search} />
      <Panel>
        <Filters search={search} outcomes={outcomes} onChange={change} />
        {isLoading && <Skeleton />}
        {data && outcomes.length === 0 && (
          <EmptyState
            icon="chart-column"
            title={
              Object.keys(filters).length > 0 ? 'No analysis matches these filters' : 'No session was analysed yet'
            }
            action={<Button onClick={() => setAnalysing(true)}>Analyse sessions</Button>}
          >
            An analysis cuts the transcript of an archived session into segments, each with a goal and an outcome.
          </EmptyState>
        )}
        {outcomes.length > 0 && <Table caption="Outcomes" columns={columns} rows={outcomes} keyOf={({ id }) => id} />}
        {data && <Pager of={data.pagination} onPage={(page, options) => change({ page }, options)} />}
      </Panel>
      {isAnalysing && (
        <AnalyseDialog
          search={search}
          onClose={() => setAnalysing(false)}
          onStarted={(started) => {
            setAnalysing(false)
            change({ batch: started })
          }}
        />
      )}
    </Page>
  )
}

type FiltersProps = {
  search: OutcomesSearch
  outcomes: readonly Outcome[]
  onChange: (changes: OutcomesSearch) => void
}

function Filters({ search, outcomes, onChange }: FiltersProps): ReactNode {
  const { agent_roots: roots = [], runtime_models: runtimes = {} } = useRead('configs.show', {}).data ?? {}
  const models = Object.values(runtimes).flatMap((runtime) => runtime.models.map(({ id }) => id))
  return (
    <div className="grid grid-cols-2 gap-2 border-line border-b p-2 md:flex md:flex-wrap md:*:w-36">
      <Select
        label="Outcome"
        isLabelHidden
        value={search.outcome ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ outcome: value === 'Success' || value === 'Failure' ? value : undefined })
        }
        options={[
          { value: '', label: 'Any outcome' },
          { value: 'Success', label: 'Success' },
          { value: 'Failure', label: 'Failure' },
        ]}
      />
      <Select
        label="Root"
        isLabelHidden
        value={search.root ?? ''}
        onChange={(event) => onChange({ root: event.currentTarget.value || undefined })}
        options={filterChoices('Any root', [
          search.root,
          ...roots.map(({ name }) => name),
          ...outcomes.map(({ agent_root }) => agent_root),
        ])}
      />
      <Select
        label="Runtime"
        isLabelHidden
        value={search.runtime ?? ''}
        onChange={(event) => onChange({ runtime: event.currentTarget.value || undefined })}
        options={filterChoices('Any runtime', [
          search.runtime,
          ...Object.keys(runtimes),
          ...outcomes.map(({ agent_runtime }) => agent_runtime),
        ])}
      />
      <Select
        label="Model"
        isLabelHidden
        value={search.model ?? ''}
        onChange={(event) => onChange({ model: event.currentTarget.value || undefined })}
        options={filterChoices('Any model', [search.model, ...models, ...outcomes.map(({ model }) => model)])}
      />
      <DateRange what="Created" zone="UTC" from={search.from} to={search.to} onChange={onChange} />
    </div>
  )
}
