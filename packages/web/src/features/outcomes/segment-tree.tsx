import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { rangeOf, type Segment } from './flame.ts'
import { outcomeTone } from './outcome-tone.ts'

/** The same tree as text. */
export function SegmentTree({ segment, sessionId }: { segment: Segment; sessionId: string }): ReactNode {
  const { goal, outcome, children } = segment
  const range = rangeOf(segment)
  return (
    <li className="py-1">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={outcomeTone(outcome.kind)}>{outcome.kind}</Badge>
        <span className="font-medium">{goal.text}</span>
        {range && (
          <Link
            to="/sessions/$id"
            params={{ id: sessionId }}
            hash={`e${range[0]}`}
            className="text-accent-text text-sm hover:underline"
          >
            entries {range[0]} to {range[1]}
          </Link>
        )}
      </p>
      <p className="text-muted text-sm">{outcome.explanation}</p>
      {children.length > 0 && (
        <ul className="ml-2 border-line border-l pl-3">
          {children.map((child) => (
            <SegmentTree key={child.id} segment={child} sessionId={sessionId} />
          ))}
        </ul>
      )}
    </li>
  )
}
