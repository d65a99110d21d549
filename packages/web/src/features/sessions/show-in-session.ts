import type { QueryClient } from '@tanstack/react-query'
import { showAtOnce } from '../../shared/api/at-once.ts'
import type { Undo } from '../../shared/api/hooks.ts'
import type { Session } from './session-facts.ts'

/** Shows changed fields of a session before the server has saved them. */
export function showInSession(cache: QueryClient, id: string | number, changes: Partial<Session>): Undo | undefined {
  return showAtOnce(cache, { name: 'sessions.show', input: { id: String(id) }, part: 'session' }, changes)
}
