import type { Result } from '../../shared/api/client.ts'
import type { Bar, Fill, Series } from '../../shared/kit/stacked-bars.tsx'
import type { Grouping, Unit } from './costs-search.ts'

type Costs = Pick<Result<'costs.show'>, 'by_day' | 'window' | 'by_agent_root' | 'by_model'>
type Day = Costs['by_day'][number]

const dayMs = 86_400_000
const named: readonly Fill[] = ['one', 'two', 'three', 'four']
const dayOf = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/**
 * Every day of the window, also those without calls, so that the distance between two bars is time. A day names its four
 * largest roots and models only: what else it has is the rest.
 */
export function daysOf(costs: Costs, { by, unit }: { by: Grouping; unit: Unit }): { series: Series[]; bars: Bar[] } {
  const parts = by === 'source' ? [] : namesOf(costs, by).slice(0, named.length)
  const series: Series[] =
    by === 'source'
      ? [
          { name: 'Sessions', fill: 'one' },
          { name: 'Service itself', fill: 'two' },
        ]
      : [...parts.map((name, index) => ({ name, fill: named[index] ?? 'rest' })), { name: 'Rest', fill: 'rest' }]
  const amountOf = ({ cost_usd, tokens }: { cost_usd: number; tokens: number }) =>
    unit === 'tokens' ? tokens : cost_usd
  const valuesOf = (day: Day): number[] => {
    if (by === 'source') return [day.session_cost_usd, day.adhoc_cost_usd]
    const known = by === 'root' ? day.roots : day.models
    const values = parts.map((name) => {
      const found = known.find((each) => each.name === name)
      return found ? amountOf(found) : 0
    })
    const rest = amountOf(day) - values.reduce((sum, value) => sum + value, 0)
    // Sums of fractions leave a crumb.
    return [...values, rest > 1e-9 ? rest : 0]
  }
  const byDay = new Map(costs.by_day.map((day) => [day.day, day]))
  const { from, to } = costs.window
  const first = Math.floor(Date.parse(from) / dayMs)
  // The API rounds the end up to a minute: in the last minute of a day it is midnight, and the next day has not begun.
  const end = byDay.has(to.slice(0, 10)) ? Date.parse(to) : Date.parse(to) - 1
  const last = Math.floor(end / dayMs)
  const bars = Array.from({ length: last - first + 1 }, (_, index) => {
    const at = new Date((first + index) * dayMs)
    const key = at.toISOString().slice(0, 10)
    const day = byDay.get(key)
    return { key, label: dayOf.format(at), values: day ? valuesOf(day) : series.map(() => 0) }
  })
  const isUsed = series.map((_, at) => bars.some(({ values }) => Number(values[at]) > 0))
  const used = <Each>(all: readonly Each[]): Each[] => all.filter((_, at) => isUsed[at])
  return { series: used(series), bars: bars.map((bar) => ({ ...bar, values: used(bar.values) })) }
}

/** The last of 15 may stand for all others. */
function namesOf({ by_agent_root, by_model }: Costs, by: Grouping): string[] {
  const names = by === 'root' ? by_agent_root.map(({ agent_root }) => agent_root) : by_model.map(({ model }) => model)
  return names.filter((name) => !/^other \(\d+\)$/.test(name))
}
