import type { SessionStatus } from '@yardmaster/contract/session'

/**
 * The session machine. A pair of status and cause that has no row here is refused. `basis` says where the row comes
 * from: the public API's rules, or one of our decision notes.
 */
export const transitions = [
  {
    on: 'turn_started',
    from: ['waiting'],
    to: 'running',
    basis: 'docs/decisions/0006-waiting-until-the-agent-is-up.md',
  },
  { on: 'turn_ended', from: ['running'], to: 'needs_input', basis: 'API: a turn that is over waits for someone' },
  { on: 'turn_handed_over', from: ['running'], to: 'waiting', basis: 'docs/decisions/0011-what-follows-a-turn.md' },
  { on: 'turn_failed', from: ['waiting', 'running'], to: 'failed', basis: 'API: an error ended it; resumable' },
  {
    on: 'turn_recovered',
    from: ['waiting', 'running'],
    to: 'waiting',
    basis: 'docs/decisions/0006-waiting-until-the-agent-is-up.md',
  },
  { on: 'prepared', from: ['waiting'], to: 'needs_input', basis: 'docs/decisions/0012-restart.md' },
  { on: 'resume', from: ['waiting', 'needs_input', 'failed'], to: 'waiting', basis: 'API: follow_up, restart' },
  { on: 'pause', from: ['running'], to: 'needs_input', basis: 'API: pause' },
  { on: 'withdraw', from: ['waiting', 'running'], to: 'waiting', basis: 'API: interrupt, force_immediate, restart' },
  { on: 'sleep', from: ['needs_input'], to: 'waiting', basis: 'API: sleep' },
  {
    on: 'authorization_required',
    from: ['waiting', 'needs_input'],
    to: 'failed',
    basis: 'API: artifact change; parked until somebody signs in',
  },
  { on: 'archive', from: ['waiting', 'running', 'needs_input', 'failed'], to: 'archived', basis: 'API: archive' },
  { on: 'unarchive', from: ['archived'], to: 'needs_input', basis: 'API: unarchive' },
  { on: 'elicitation_asked', from: ['running'], to: 'needs_input', basis: 'API: an agent waits for an answer' },
  { on: 'elicitation_answered', from: ['needs_input'], to: 'running', basis: 'API: elicitation respond' },
] as const satisfies readonly Transition[]

type Transition = { on: string; from: readonly SessionStatus[]; to: SessionStatus; basis: string }

export type TransitionCause = (typeof transitions)[number]['on']

export function findTransition(cause: TransitionCause, from: SessionStatus): SessionStatus | undefined {
  return transitions.find((rule) => rule.on === cause && rule.from.some((status) => status === from))?.to
}
