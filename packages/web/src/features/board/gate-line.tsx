import type { ReactNode } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Icon } from '../../shared/kit/icon.tsx'
import type { BoardCard } from './board-cache.ts'

type Held = NonNullable<BoardCard['held']>

const reasons: Record<string, string> = {
  at_utilization_limit: 'the quota is used up',
  budget_exhausted: 'a budget is used up',
}

/** Where the queue stops: the sessions below wait for what it says. */
export default function GateLine({ held: { reason } }: { held: Held }): ReactNode {
  const spot = useRead('board.summary', {}).data?.spot
  const slots = spot && `${spot.live} of ${spot.slots} turns run`
  return (
    <p className="flex h-9 items-center gap-1.5 border-line border-b border-dashed bg-needs-soft px-8 text-sm max-md:px-3">
      <Icon name="gauge" size={14} className="shrink-0 text-needs" />
      <span className="tabular truncate">Held here: {reasons[reason] ?? slots ?? 'no slot is free'}</span>
    </p>
  )
}
