import type { ReactNode } from 'react'
import type { BoardCard } from './board-cache.ts'
import type { RowDeeds } from './row-menu.ts'

type LeavingNoteProps = { card: BoardCard; reason: string; deeds: RowDeeds }

/** Where a row goes, and how to take that back. */
export default function LeavingNote({ card, reason, deeds }: LeavingNoteProps): ReactNode {
  const undo =
    card.status === 'archived'
      ? () => deeds.actions.unarchive([card])
      : card.visibility
        ? () => deeds.actions.show([card])
        : undefined
  return (
    <span className="relative flex shrink-0 items-center gap-1 text-muted text-sm">
      <span>{reason}</span>
      {undo && (
        <button
          type="button"
          onClick={undo}
          className="h-6 rounded-sm px-1 font-medium text-accent-text hover:underline"
        >
          Undo
        </button>
      )}
    </span>
  )
}
