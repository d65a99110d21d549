import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent, ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Badge } from '../../shared/kit/badge.tsx'
import { Button } from '../../shared/kit/button.tsx'
import { DateRange } from '../../shared/kit/date-range.tsx'
import { Select, Switch, TextField } from '../../shared/kit/field.tsx'
import { filterChoices } from '../../shared/kit/filter-choices.ts'
import { EmptyState, ErrorNote, Skeleton } from '../../shared/kit/notes.tsx'
import { Page, Panel } from '../../shared/kit/page.tsx'
import { Pager } from '../../shared/kit/pager.tsx'
import { type Column, Table } from '../../shared/kit/table.tsx'
import { Time } from '../../shared/kit/time.tsx'
import type { GateSearch } from './gate-search.ts'
import { type Decision, decisionTone, gateWords } from './gate-words.ts'

const columns: readonly Column<Decision>[] = [
  {
    name: 'title',
    label: 'What',
    cell: (decision) => (
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to="/gate_decisions/$id"
          params={{ id: String(decision.id) }}
          className="min-w-0 truncate font-medium hover:underline"
        >
          {decision.title ?? decision.artifact_url ?? `Decision ${decision.id}`}
        </Link>
        {decision.corrected_by !== null && <Badge tone="needs">corrected</Badge>}
      </span>
    ),
  },
  { name: 'gate', label: 'Gate', isMinor: true, cell: ({ gate }) => gateWords[gate] },
  {
    name: 'decision',
    label: 'Decision',
    cell: ({ decision }) => decision && <Badge tone={decisionTone(decision)}>{decision}</Badge>,
  },
  { name: 'surface', label: 'Surface', isMinor: true, cell: ({ surface }) => surface },
  {
    name: 'feedback',
    label: 'Feedback',
    isNumber: true,
    isMinor: true,
    cell: ({ human_feedback }) => human_feedback.at(-1)?.verdict ?? '',
  },
  {
    name: 'decided',
    label: 'Decided',
    isNumber: true,
    isMinor: true,
    cell: ({ decided_at, recorded_at }) => decided_at ?? <Time at={recorded_at} />,
  },
]

export default function GateDecisionsPage(): ReactNode {
  const search: GateSearch = useSearch({ from: '/shell/gate_decisions' })
  const navigate = useNavigate()
  const { q, feedback, page = 1, ...exact } = search
  const { data, error, isLoading, refetch } = useRead('gate_decisions.list', {
    ...exact,
    ...(q && { query: q }),
    ...(feedback && { with_human_feedback: true }),
    page,
    per_page: 50,
  })
  const decisions = data?.gate_decisions ?? []
  const change = (changes: GateSearch, options = {}) =>
    void navigate({ to: '/gate_decisions', search: { ...search, page: undefined, ...changes }, ...options })
  const isFiltered = Object.keys(search).length > 0
  return (
    <Page
      title="Gate decisions"
      note={
        data && `${data.pagination.total_count} recorded; a decision is never changed, only corrected by a later one`
      }
      actions={
        isFiltered && (
          <Button icon="x" onClick={() => void navigate({ to: '/gate_decisions', search: {} })}>
            Clear the filters
          </Button>
        )
      }
    >
      <ErrorNote error={error} onRetry={() => refetch()} />
      <Panel>
        <Filters search={search} values={data?.filter_values ?? none} onChange={change} />
        {isLoading && <Skeleton />}
        {data && decisions.length === 0 && (
          <EmptyState icon="gavel" title={isFiltered ? 'No decision matches' : 'No decision was recorded yet'}>
            {isFiltered
              ? 'Change or clear the filters.'
              : 'Agents that judge pull requests and issues record their decisions here. Open one to say what you think of it.'}
          </EmptyState>
        )}
        {decisions.length > 0 && (
          <Table caption="Gate decisions" columns={columns} rows={decisions} keyOf={({ id }) => id} />
        )}
        {data && <Pager of={data.pagination} onPage={(page, options) => change({ page }, options)} />}
      </Panel>
    </Page>
  )
}

const none = { decisions: [], surfaces: [] }

type FiltersProps = {
  search: GateSearch
  values: Result<'gate_decisions.list'>['filter_values']
  onChange: (changes: GateSearch) => void
}

function Filters({ search, values, onChange }: FiltersProps): ReactNode {
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onChange({ q: String(new FormData(event.currentTarget).get('q') ?? '').trim() || undefined })
  }
  return (
    <div className="grid grid-cols-2 items-center gap-2 border-line border-b p-2 md:flex md:flex-wrap md:*:w-36">
      <form onSubmit={find} className="col-span-2 md:w-56!">
        <TextField
          key={search.q ?? ''}
          label="Search"
          isLabelHidden
          name="q"
          type="search"
          placeholder="Search the entries"
          defaultValue={search.q ?? ''}
        />
      </form>
      <Select
        label="Gate"
        isLabelHidden
        value={search.gate ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ gate: value === 'pr_merge' || value === 'issue_work' ? value : undefined })
        }
        options={[
          { value: '', label: 'Any gate' },
          { value: 'pr_merge', label: gateWords.pr_merge },
          { value: 'issue_work', label: gateWords.issue_work },
        ]}
      />
      <Select
        label="Decision"
        isLabelHidden
        value={search.decision ?? ''}
        onChange={(event) => onChange({ decision: event.currentTarget.value || undefined })}
        options={filterChoices('Any decision', [search.decision, ...values.decisions])}
      />
      <Select
        label="Surface"
        isLabelHidden
        value={search.surface ?? ''}
        onChange={(event) => onChange({ surface: event.currentTarget.value || undefined })}
        options={filterChoices('Any surface', [search.surface, ...values.surfaces])}
      />
      <DateRange what="Decided" from={search.from} to={search.to} onChange={onChange} />
      <Switch
        label="With feedback"
        isOn={search.feedback === true}
        onChange={(isOn) => onChange({ feedback: isOn || undefined })}
      />
    </div>
  )
}
