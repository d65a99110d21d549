import { useQueryClient } from '@tanstack/react-query'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useLiveEvent } from '../../shared/live/live.tsx'
import type { NeedySession } from '../needs-you/use-needs-you.ts'

const endings = { accept: 'accepted', decline: 'declined', cancel: 'dismissed', expired: 'not answered in time' }

/** Says why a question leaves the page that someone else answered. */
export function useOthersAnswers(sessions: readonly NeedySession[]): void {
  const cache = useQueryClient()
  const toasts = useToasts()
  useLiveEvent('elicitation.resolved', ({ data: { elicitation_id, status } }) => {
    const question = sessions.flatMap(({ elicitations }) => elicitations).find(({ id }) => id === elicitation_id)
    const isOwn = cache
      .getMutationCache()
      .getAll()
      .some(({ state: { variables } }) => isAnswerTo(variables, elicitation_id))
    if (question && !isOwn) toasts.say(`“${question.message}” was ${endings[status] ?? status} elsewhere`)
  })
}

function isAnswerTo(variables: unknown, id: number): boolean {
  const sent = Object(variables) as { id?: unknown; action_type?: unknown }
  return sent.id === String(id) && sent.action_type !== undefined
}
