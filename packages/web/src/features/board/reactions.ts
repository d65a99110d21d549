import type { QueryClient } from '@tanstack/react-query'
import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import { refresh } from '../../shared/api/hooks.ts'
import type { Reactions } from '../../shared/live/live.tsx'
import { patchCards } from './board-cache.ts'

/** A busy yard changes status hundreds of times a second; the page draws what changed ten times a second. */
const drawEveryMs = 100
/** What an event does not say (last line, cost, reason) is read again, at most this often. */
const readEveryMs = 2_000

/** Status changes go into the rows at once; everything else of the board follows by a read. */
export const reactions: Reactions = {
  'session.status_changed': ({ data }, cache) => {
    if (data.session_id !== null) noteStatus(cache, data.session_id, data.to)
    readSoon(cache)
    return undefined
  },
  'session.created': (_, cache) => readSoon(cache),
  'session.deleted': (_, cache) => readSoon(cache),
  'session.changed': (_, cache) => readSoon(cache),
  'session.seen': (_, cache) => readSoon(cache),
  'board.reordered': (_, cache) => readSoon(cache),
  'queue.changed': (_, cache) => readSoon(cache),
  'turn.ended': (_, cache) => readSoon(cache),
  'elicitation.raised': (_, cache) => readSoon(cache),
  'elicitation.resolved': (_, cache) => readSoon(cache),
  'notifications.changed': (_, cache) => readSoon(cache),
  'categories.changed': ['categories', 'board.show'],
}

const statuses = new Map<number, SessionStatus>()
let drawing: ReturnType<typeof setTimeout> | undefined

function noteStatus(cache: QueryClient, id: number, status: SessionStatus): void {
  statuses.set(id, status)
  if (drawing !== undefined) return
  drawing = setTimeout(() => {
    drawing = undefined
    patchCards(cache, new Map([...statuses].map(([each, status]) => [each, { status }] as const)))
    statuses.clear()
  }, drawEveryMs)
}

let reading: ReturnType<typeof setTimeout> | undefined
let readAt = 0

function readSoon(cache: QueryClient): undefined {
  if (reading !== undefined) return
  reading = setTimeout(
    () => {
      reading = undefined
      readAt = Date.now()
      void refresh(cache, ['board', 'needs_you'])
    },
    Math.max(drawEveryMs, readAt + readEveryMs - Date.now()),
  )
}
