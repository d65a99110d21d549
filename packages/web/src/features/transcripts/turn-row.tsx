import type { ReactNode } from 'react'
import { part } from '../../shared/kit/part.tsx'
import type { Turn } from './turns.ts'

const TurnFacts = part(() => import('./turn-facts.tsx'))

type TurnRowProps = { number: number; turn: Turn | undefined; newest: number }

/** "Turn 4 · Ada · follow-up · 3 m 12 s · $0.31 · completed". */
export function TurnRow({ number, turn, newest }: TurnRowProps): ReactNode {
  return (
    <h2 className="flex items-center gap-2 pt-3 text-muted text-sm">
      <span className="h-px w-4 shrink-0 bg-line" />
      <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
        <span className="font-semibold text-text">Turn {number}</span>
        <TurnFacts number={number} turn={turn} newest={newest} />
      </span>
      <span className="h-px min-w-4 grow bg-line" />
    </h2>
  )
}
