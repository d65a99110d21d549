import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../shared/api/client.ts'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import { StackedBars } from '../../shared/kit/stacked-bars.tsx'
import { filtersOf } from './outcome-filters.ts'
import type { OutcomesSearch } from './outcomes-search.ts'
import { type Outcome, ratesOf } from './rates.ts'

/** The API lists a hundred at a time; the chart is about the newest of them. */
const mostPages = 10

/** How many sessions succeeded, over time, under the filters of the page. */
export function RatesPanel({ search }: { search: OutcomesSearch }): ReactNode {
  const filters = filtersOf({ ...search, outcome: undefined })
  const { data, error, refetch } = useQuery({
    queryKey: ['outcome_analyses.rates', filters],
    queryFn: ({ signal }) => readNewest(filters, signal),
  })
  if (!data && error) return <ErrorNote error={error} onRetry={() => refetch()} />
  if (!data || data.outcomes.length === 0) return null
  const { bars, unit } = ratesOf(data.outcomes)
  const succeeded = data.outcomes.filter(({ root_outcome }) => root_outcome === 'Success').length
  const segments = data.outcomes.reduce((sum, { segment_count }) => sum + segment_count, 0)
  const failed = data.outcomes.reduce((sum, { failure_segment_count }) => sum + failure_segment_count, 0)
  return (
    <Panel title={`Rates by ${unit} (UTC)`}>
      <p className="px-3 pt-3">
        <strong className="tabular text-xl">{percent(succeeded / data.outcomes.length)}</strong> of{' '}
        {data.isWhole ? data.outcomes.length : `the newest ${data.outcomes.length}`} analysed sessions succeeded.{' '}
        <span className="text-muted">
          {percent(failed / Math.max(1, segments))} of their {segments} segments failed.
        </span>
      </p>
      <StackedBars
        caption={`Share of sessions that succeeded, by ${unit} in UTC`}
        barLabel={unit === 'day' ? 'Day in UTC (sessions)' : 'Week from, in UTC (sessions)'}
        series={[
          { name: 'Succeeded', fill: 'ok' },
          { name: 'Failed', fill: 'failed' },
        ]}
        bars={bars}
        format={(value) => `${Math.round(value)} %`}
        hasSums={false}
      />
    </Panel>
  )
}

async function readNewest(filters: ReturnType<typeof filtersOf>, signal: AbortSignal) {
  const outcomes: Outcome[] = []
  for (let page = 1; page <= mostPages; page += 1) {
    const { outcome_analyses, pagination } = await call(
      'outcome_analyses.list',
      { ...filters, page, per_page: 100 },
      { signal },
    )
    outcomes.push(...outcome_analyses)
    if (page >= pagination.total_pages) return { outcomes, isWhole: true }
  }
  return { outcomes, isWhole: false }
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
