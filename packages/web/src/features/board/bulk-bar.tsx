import type { ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import type { BoardActions } from './board-actions.ts'
import type { BoardCard } from './board-cache.ts'
import { bulkDeeds } from './bulk-deeds.ts'
import type { RowDialog } from './row-menu.ts'

type BulkBarProps = {
  cards: readonly BoardCard[]
  actions: BoardActions
  openDialog: (kind: RowDialog, cards: readonly BoardCard[]) => void
  onDone: () => void
}

/** What can be done to the selected rows. */
export default function BulkBar({ cards, onDone, ...deeds }: BulkBarProps): ReactNode {
  return (
    <section
      aria-label="Selected sessions"
      className="flex shrink-0 items-center gap-1.5 overflow-x-auto border-line border-t bg-selected px-3 py-1.5"
    >
      <span className="mr-1 shrink-0 font-semibold text-accent-text">{cards.length} selected</span>
      {bulkDeeds(cards, deeds)
        .filter(({ fitsNone }) => !fitsNone)
        .map(({ id, label, short = label, icon, asks, run }) => (
          <Button
            key={id}
            size="sm"
            icon={icon}
            onClick={() => {
              run()
              if (!asks) onDone()
            }}
          >
            {short}
          </Button>
        ))}
      <span className="grow" />
      <Button size="sm" look="quiet" onClick={onDone}>
        Clear
      </Button>
    </section>
  )
}
