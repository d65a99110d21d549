import type { BoardCard } from '../board/board-cache.ts'
import { nameOfSession } from './name-of-session.ts'
import type { Session } from './session-facts.ts'

/** The session as a card of the board, for what is done to cards. */
export function cardOf(session: Session): BoardCard {
  const { id, status, agent_runtime, priority_class, precedence, created_at, updated_at, category_id } = session
  return {
    ...{ id, status, agent_runtime, priority_class, precedence, created_at },
    title: nameOfSession(session),
    touched_at: updated_at,
    ...(category_id !== null && { category_id }),
  }
}
