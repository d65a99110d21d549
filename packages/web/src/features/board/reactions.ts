import type { QueryClient } from '@tanstack/react-query'
import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import type { Reactions } from '../../shared/live/live.tsx'
import { isOnBoard, patchCards } from './board-cache.ts'

/** A busy yard changes status hundreds of times a second; the page draws a first change at once, and then ten times a second. */
const drawEveryMs = 100
/** What an event does not say (reason, cost, question) is read again, at most this often. */
const soon = { names: ['board', 'needs_you'], everyMs: 2_000 } as const
/** An agent that works writes all the time, and only the last line of its row and its age follow. */
const withLines = { names: ['board.show'], everyMs: 4_000 } as const

/** Status changes go into the rows at once; everything else of the board follows by a read. */
export const reactions: Reactions = {
  'session.status_changed': ({ data }, cache) => {
    if (data.session_id !== null) noteStatus(cache, data.session_id, data.to)
    return soon
  },
  'session.created': soon,
  'session.deleted': soon,
  'session.changed': soon,
  'session.seen': soon,
  'board.reordered': soon,
  'queue.changed': soon,
  'turn.ended': soon,
  'elicitation.raised': soon,
  'elicitation.resolved': soon,
  'notifications.changed': soon,
  'transcript.appended': ({ data }, cache) =>
    data.thread === 'main' && isOnBoard(cache, data.session_id) ? withLines : undefined,
  'categories.changed': ['categories', 'board.show'],
}

const statuses = new Map<number, SessionStatus>()
let drawing: ReturnType<typeof setTimeout> | undefined
let drawnAt = 0

function noteStatus(cache: QueryClient, id: number, status: SessionStatus): void {
  statuses.set(id, status)
  if (drawing !== undefined) return
  drawing = setTimeout(
    () => {
      drawing = undefined
      drawnAt = Date.now()
      patchCards(cache, new Map([...statuses].map(([each, status]) => [each, { status }] as const)))
      statuses.clear()
    },
    // A clock that was set back must not stop it.
    Math.min(drawEveryMs, Math.max(0, drawnAt + drawEveryMs - Date.now())),
  )
}
