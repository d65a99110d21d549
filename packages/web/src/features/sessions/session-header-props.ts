import type { Turn } from '../transcripts/turns.ts'
import type { Shown } from './session-facts.ts'
import type { SessionActions } from './use-session-actions.ts'

/** What the header of a session, its menus and its lines are made of. */
export type SessionHeaderProps = {
  shown: Shown
  id: string
  underway: Turn | undefined
  isAsking: boolean
  cost: number | undefined
  actions: SessionActions
  turns: readonly Turn[]
  onFind: () => void
  onGo: (sequence: number) => void
  lastEntry: number | undefined
}
