import type { ReactNode } from 'react'
import { Skeleton } from '../../shared/kit/notes.tsx'
import { mostInStrip, useNeedsYou } from './use-needs-you.ts'

/** As high as the strip will be: a row that moves while the page loads is one that a click misses. */
export function StripSpace(): ReactNode {
  const { data } = useNeedsYou()
  return (
    <div className="border-line border-b max-md:h-9.25 max-md:overflow-hidden">
      <Skeleton rows={1 + Math.min(mostInStrip, data?.sessions.length ?? 0)} />
    </div>
  )
}
