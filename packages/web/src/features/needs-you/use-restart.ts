import { useRef } from 'react'
import { useBoardActions } from '../board/board-actions.ts'
import type { NeedySession } from './use-needs-you.ts'

/**
 * Restarts a session once for each time that it fails. It stays in the list until that is read again, and a second press before then
 * would stop and restart what the first one has started.
 */
export function useRestart({ card, transition_id = 0 }: NeedySession): () => Promise<void> {
  const actions = useBoardActions()
  const restarted = useRef<number>(undefined)
  return async () => {
    if (restarted.current === transition_id) return
    restarted.current = transition_id
    if (!(await actions.restart([card]))) restarted.current = undefined
  }
}
