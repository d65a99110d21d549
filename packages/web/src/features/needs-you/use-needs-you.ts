import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'

type Elicitation = Result<'elicitations.list'>['elicitations'][number]
type Session = Result<'sessions.list'>['sessions'][number]

export type Waiting =
  | { kind: 'question'; key: string; at: string; elicitation: Elicitation }
  | { kind: 'failed' | 'needs_input'; key: string; at: string; session: Session }

/** Everything that waits for a person, one entry for a session and question, the oldest first. */
export function useNeedsYou(): { items: readonly Waiting[]; isLoading: boolean; error: unknown } {
  const questions = useRead('elicitations.list', { status: 'pending', per_page: 100 })
  const asking = useRead('sessions.list', { status: 'needs_input', per_page: 100 })
  const failed = useRead('sessions.list', { status: 'failed', per_page: 100 })
  const reads = [questions, asking, failed]
  const withQuestion = new Set(questions.data?.elicitations.map(({ session_id }) => session_id))
  const items: Waiting[] = [
    ...(questions.data?.elicitations ?? []).map(
      (elicitation): Waiting => ({
        kind: 'question',
        key: `question ${elicitation.id}`,
        at: elicitation.created_at,
        elicitation,
      }),
    ),
    ...[...(failed.data?.sessions ?? []), ...(asking.data?.sessions ?? [])]
      // Its question is in the list already.
      .filter(({ id }) => !withQuestion.has(id))
      .map(
        (session): Waiting => ({
          kind: session.status === 'failed' ? 'failed' : 'needs_input',
          key: `session ${session.id}`,
          at: session.updated_at,
          session,
        }),
      ),
  ]
  return {
    items: items.sort((one, other) => one.at.localeCompare(other.at)),
    isLoading: reads.some(({ isLoading }) => isLoading),
    error: reads.find(({ error }) => error)?.error,
  }
}
