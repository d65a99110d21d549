import type { WindowQuery } from '@yardmaster/contract/costs/window'
import { limits } from '@yardmaster/contract/limits'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Span } from './cost-store.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Rounded outwards to whole minutes. A reversed window is turned round, and one that is too long begins later. */
export function windowOf(query: Pick<WindowQuery, 'days' | 'from' | 'to'>, now: Date): Span {
  const to = query.to ?? now
  const from = query.from ?? new Date(to.getTime() - query.days * dayMs)
  const [start, end] = [from.getTime(), to.getTime()].toSorted((one, other) => one - other) as [number, number] // of two
  const earliest = end - limits.costsWindowDays.max * dayMs
  return {
    from: new Date(Math.floor(Math.max(start, earliest) / minuteMs) * minuteMs),
    to: new Date(Math.ceil(end / minuteMs) * minuteMs),
  }
}

export function presentWindow({ from, to }: Span): { from: string; to: string } {
  return { from: formatTimestamp(from), to: formatTimestamp(to) }
}
