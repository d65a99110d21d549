import type { Result } from '../../shared/api/client.ts'
import type { Bar } from '../../shared/kit/stacked-bars.tsx'

export type Outcome = Result<'outcome_analyses.list'>['outcome_analyses'][number]

const dayMs = 86_400_000
/** Less would be a few broad bars. */
const fewestDays = 14
const dayOf = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Up to five weeks by day, else by week. Sessions count for the day on which they were created, in UTC. */
export function ratesOf(outcomes: readonly Outcome[]): { bars: Bar[]; unit: 'day' | 'week' } {
  const days = outcomes.map(({ session_created_at }) => Math.floor(Date.parse(session_created_at) / dayMs))
  const last = Math.max(...days)
  const first = Math.min(...days, last - fewestDays + 1)
  const step = last - first > 35 ? 7 : 1
  if (outcomes.length === 0) return { bars: [], unit: 'day' }
  const bars = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => {
    const from = first + index * step
    const inside = outcomes.filter((_, at) => Number(days[at]) >= from && Number(days[at]) < from + step)
    const succeeded = inside.filter(({ root_outcome }) => root_outcome === 'Success').length
    const share = inside.length === 0 ? 0 : (succeeded / inside.length) * 100
    const label = `${dayOf.format(from * dayMs)}${inside.length > 0 ? ` (${inside.length})` : ''}`
    return { key: String(from), label, values: inside.length === 0 ? [0, 0] : [share, 100 - share] }
  })
  return { bars, unit: step === 7 ? 'week' : 'day' }
}
