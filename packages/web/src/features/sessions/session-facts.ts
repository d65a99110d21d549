import type { Result } from '../../shared/api/client.ts'
import type { Turn } from '../transcripts/turns.ts'

export type Shown = Result<'sessions.show'>
export type Session = Shown['session']

/** The turn that an agent works on, or is about to. A turn that the gate holds has not begun. */
export function underwayOf(session: Session, turns: readonly Turn[]): Turn | undefined {
  const { spot_hold_at: heldAt, spot_pause_at: pausedAt } = session.metadata
  if (typeof (heldAt ?? pausedAt) === 'string' && session.status === 'waiting') return undefined
  return turns.find(({ state }) => state !== 'ended')
}

export function modelOf({ config }: Pick<Session, 'config'>): string {
  return typeof config.model === 'string' ? config.model : ''
}
