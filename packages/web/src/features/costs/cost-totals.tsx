import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { compact, dollars } from './dollars.ts'

/** The figures above the chart. */
export function CostTotals({ costs: { totals } }: { costs: Result<'costs.show'> }): ReactNode {
  const cacheShare = totals.total_tokens === 0 ? 0 : totals.cache_read_tokens / totals.total_tokens
  const figures = [
    { label: 'Total', value: dollars(totals.cost_usd), isMain: true },
    { label: 'Sessions', value: dollars(totals.session_cost_usd) },
    { label: 'Service itself', value: dollars(totals.adhoc_cost_usd) },
    { label: 'Model calls', value: compact(totals.api_calls) },
    { label: 'Tokens', value: compact(totals.total_tokens) },
    { label: 'From the cache', value: `${Math.round(cacheShare * 100)} %` },
  ]
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line md:grid-cols-3 lg:grid-cols-6">
      {figures.map(({ label, value, isMain }) => (
        <div key={label} className="flex flex-col-reverse bg-surface px-3 py-2.5">
          <dt className="text-muted text-sm">{label}</dt>
          <dd className={`tabular font-semibold tracking-tight ${isMain ? 'text-2xl' : 'text-xl leading-8'}`}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
