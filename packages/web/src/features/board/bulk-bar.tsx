import type { ReactNode } from 'react'
import { Button } from '../../shared/kit/button.tsx'
import type { BoardActions } from './board-actions.ts'
import type { BoardCard } from './board-cache.ts'
import type { RowDialog } from './row-menu.ts'

type BulkBarProps = {
  cards: readonly BoardCard[]
  actions: BoardActions
  openDialog: (kind: RowDialog, cards: readonly BoardCard[]) => void
  onDone: () => void
}

/** What can be done to the selected rows. */
export default function BulkBar({ cards, actions, openDialog, onDone }: BulkBarProps): ReactNode {
  const act = (deed: (cards: readonly BoardCard[]) => unknown) => () => {
    deed(cards)
    onDone()
  }
  return (
    <section
      aria-label="Selected sessions"
      className="flex shrink-0 items-center gap-1.5 overflow-x-auto border-line border-t bg-selected px-3 py-1.5"
    >
      <span className="mr-1 shrink-0 font-semibold text-accent-text">{cards.length} selected</span>
      <Button size="sm" icon="archive" onClick={act(actions.archive)}>
        Archive
      </Button>
      <Button size="sm" icon="tag" onClick={() => openDialog('category', cards)}>
        Move
      </Button>
      <Button size="sm" icon="clock" onClick={() => openDialog('snooze', cards)}>
        Snooze
      </Button>
      <Button size="sm" icon="pause" onClick={act(actions.pause)}>
        Pause
      </Button>
      <Button size="sm" icon="rotate-ccw" onClick={act(actions.restart)}>
        Restart
      </Button>
      <Button size="sm" icon="zap" onClick={() => openDialog('priority', cards)}>
        Priority
      </Button>
      <span className="grow" />
      <Button size="sm" look="quiet" onClick={onDone}>
        Clear
      </Button>
    </section>
  )
}
