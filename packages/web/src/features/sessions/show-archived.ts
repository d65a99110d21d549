import type { QueryClient } from '@tanstack/react-query'
import type { Result } from '../../shared/api/client.ts'
import { keyOf, type Undo } from '../../shared/api/hooks.ts'
import { patchCards } from '../board/board-cache.ts'
import { showInSession } from './show-in-session.ts'

type Queue = Result<'enqueued_messages.list'>

/** On its page and in its row. Nothing is shown while messages are queued: the server asks first whether they may be discarded. */
export function showArchived(cache: QueryClient, id: number): Undo | undefined {
  const queues = cache.getQueriesData<Queue>({ queryKey: keyOf('enqueued_messages.list') })
  const isQueued = queues.some(([, queue]) =>
    queue?.enqueued_messages.some(({ session_id, status }) => session_id === id && status === 'pending'),
  )
  if (isQueued) return undefined
  const undone = [
    showInSession(cache, id, { status: 'archived' }),
    patchCards(cache, new Map([[id, { status: 'archived' }]])),
  ]
  return () => {
    for (const undo of undone) undo?.()
  }
}
