import type { ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import type { BoardSection } from './board-cache.ts'
import { perSection } from './board-search.ts'
import type { Further } from './use-long-sections.tsx'

type MoreRowProps = { section: BoardSection; further: Further | undefined; onMore: (sectionKey: string) => void }

/** Below a section that has more cards than are shown. */
export default function MoreRow({ section, further, onMore }: MoreRowProps): ReactNode {
  const { key, shown, total } = section
  return (
    <p className="flex h-9 items-center gap-2 border-line border-b px-8 text-muted text-sm max-md:px-3">
      {further === 'failed' ? (
        <span role="alert" className="truncate text-failed">
          The next could not be read.
        </span>
      ) : (
        <span className="truncate">
          {shown.toLocaleString()} of {total.toLocaleString()} are shown.
        </span>
      )}
      <Button size="sm" isBusy={further === 'reading'} onClick={() => onMore(key)}>
        {further === 'failed' ? 'Try again' : `Show the next ${Math.min(perSection, total - shown).toLocaleString()}`}
      </Button>
    </p>
  )
}
