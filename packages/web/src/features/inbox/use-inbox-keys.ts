import { useWrite } from '../../shared/api/hooks.ts'
import { useCommands } from '../../shared/keys/commands.tsx'
import { useBoardActions } from '../board/board-actions.ts'
import { isPlain } from '../needs-you/need-words.ts'
import type { NeedySession } from '../needs-you/use-needs-you.ts'

/** j and k move, Enter opens, a answers, d declines or marks as seen. */
export function useInboxKeys(
  sessions: readonly NeedySession[],
  cursor: number | undefined,
  focus: (id: number) => void,
): void {
  const actions = useBoardActions()
  const respond = useWrite('elicitations.respond', { refreshes: ['needs_you', 'board', 'sessions'] })
  const at = sessions.findIndex(({ card }) => card.id === cursor)
  const current = sessions[at]
  const [question] = current?.elicitations ?? []
  const go = (to: number) => {
    const next = sessions[Math.min(Math.max(to, 0), sessions.length - 1)]
    if (next) focus(next.card.id)
  }
  const answer = () => {
    if (!current) return
    if (question && isPlain(question)) return respond.mutate({ id: String(question.id), action_type: 'accept' })
    const card = document.getElementById(`session-${current.card.id}`)
    const control = card?.querySelector<HTMLElement>('input, select, textarea') ?? card?.querySelector('button')
    control?.focus()
  }
  const decline = () => {
    if (!current) return
    if (question) return respond.mutate({ id: String(question.id), action_type: 'decline' })
    void actions.markSeen(current.card, current.transition_id)
    go(at + 1)
  }
  const group = 'Inbox'
  useCommands([
    { id: 'inbox next', label: 'Next', group, keys: 'j', isHidden: true, run: () => go(at + 1) },
    { id: 'inbox previous', label: 'Previous', group, keys: 'k', isHidden: true, run: () => go(at - 1) },
    { id: 'inbox answer', label: 'Accept, or go to the form', group, keys: 'a', isHidden: true, run: answer },
    { id: 'inbox decline', label: 'Decline, or mark as seen', group, keys: 'd', isHidden: true, run: decline },
  ])
}
