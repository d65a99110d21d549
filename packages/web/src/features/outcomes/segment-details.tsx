import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../shared/kit/badge.tsx'
import { Code } from '../../shared/kit/copy-button.tsx'
import { formatDuration } from '../../shared/kit/time.tsx'
import { rangeOf, type Segment } from './flame.ts'
import { outcomeTone } from './outcome-tone.ts'

const count = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** What one segment was for, how it ended and what it took. */
export function SegmentDetails({ segment, sessionId }: { segment: Segment; sessionId: string }): ReactNode {
  const { id, goal, trigger, outcome, meta } = segment
  const range = rangeOf(segment)
  const figures = [
    meta.wall_clock_s !== null && formatDuration(meta.wall_clock_s),
    meta.tokens_in !== null && `${count.format(meta.tokens_in)} tokens read`,
    meta.tokens_out !== null && `${count.format(meta.tokens_out)} written`,
    meta.model,
  ].filter(Boolean)
  return (
    <section aria-label="The segment" className="min-h-24 rounded-md bg-canvas p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Code label="id of the segment">{id}</Code>
        <Badge tone={outcomeTone(outcome.kind)}>{outcome.kind}</Badge>
        <span className="text-muted text-sm">
          {goal.kind}, {trigger.kind === 'Correction' ? 'a correction' : 'new'} by the {trigger.source}
        </span>
        <Link
          to="/sessions/$id"
          params={{ id: sessionId }}
          {...(range && { hash: `e${range[0]}` })}
          className="text-accent-text text-sm hover:underline"
        >
          {range ? `Entries ${range[0]} to ${range[1]}` : 'Open the transcript'}
        </Link>
      </p>
      <p className="mt-1 font-medium">{goal.text}</p>
      <p className="text-muted">{outcome.explanation}</p>
      {figures.length > 0 && <p className="tabular mt-1 text-muted text-sm">{figures.join(' · ')}</p>}
    </section>
  )
}
