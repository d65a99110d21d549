import type { ReactNode } from 'react'
import { Button } from './button.tsx'

export const keptSentence = 'Kept in this browser until you save or discard it'

/** Says that what was typed is kept, and offers to discard it. Absent while there is nothing to discard. */
export function KeptDraft({ onDiscard }: { onDiscard: (() => void) | undefined }): ReactNode {
  if (!onDiscard) return null
  return (
    <div className="flex min-w-0 grow items-center justify-between gap-2">
      <span className="text-muted text-sm">{keptSentence}</span>
      <Button size="sm" onClick={onDiscard}>
        Discard the draft
      </Button>
    </div>
  )
}
