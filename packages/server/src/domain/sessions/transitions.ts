import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import { holdKeys, type MetadataKey, outageKeys, pauseKeys, questionKeys, restKeys } from './metadata.ts'

type Transition = {
  on: string
  from: readonly SessionStatus[]
  to: SessionStatus
  /** Metadata that the transition makes obsolete. */
  clears?: readonly MetadataKey[]
  basis: string
}

/**
 * The session state machine. A pair of status and cause without a row here is refused. `basis` names the source of the
 * row: a rule of the public API, or a decision note.
 */
export const transitions = [
  { on: 'turn_started', from: ['waiting'], to: 'running', basis: 'docs/decisions/0006' },
  { on: 'turn_ended', from: ['running'], to: 'needs_input', basis: 'API: a session whose turn ended needs input' },
  {
    on: 'turn_handed_over',
    from: ['running'],
    to: 'waiting',
    clears: ['lost_elicitation'],
    basis: 'docs/decisions/0011-what-follows-a-turn.md',
  },
  { on: 'turn_failed', from: ['waiting', 'running'], to: 'failed', basis: 'API: an error ended it; resumable' },
  { on: 'turn_recovered', from: ['waiting', 'running'], to: 'waiting', basis: 'docs/decisions/0006' },
  { on: 'prepared', from: ['waiting'], to: 'needs_input', basis: 'docs/decisions/0012-withdrawing-a-turn.md' },
  {
    on: 'resume',
    from: ['waiting', 'needs_input', 'failed'],
    to: 'waiting',
    clears: restKeys,
    basis: 'API: follow_up, restart',
  },
  {
    on: 'pause',
    from: ['running'],
    to: 'needs_input',
    clears: ['pending_sleep', 'deliberate_sleep_at'],
    basis: 'API: pause',
  },
  { on: 'withdraw', from: ['waiting', 'running'], to: 'waiting', basis: 'API: interrupt, force_immediate, restart' },
  {
    on: 'withdrawn_too_late',
    from: ['waiting'],
    to: 'running',
    clears: ['stopped_by_budget', ...pauseKeys],
    basis: 'docs/decisions/0072-budgets-end-and-hold-turns.md, 0106-the-spot-ceiling.md',
  },
  { on: 'sleep', from: ['needs_input'], to: 'waiting', clears: ['pending_sleep', 'paused_by'], basis: 'API: sleep' },
  { on: 'authorization_required', from: ['waiting', 'running', 'needs_input'], to: 'failed', basis: 'API: oauth' },
  { on: 'authorized', from: ['failed'], to: 'needs_input', clears: restKeys, basis: 'docs/decisions/0102' },
  {
    on: 'archive',
    from: ['waiting', 'running', 'needs_input', 'failed'],
    to: 'archived',
    clears: [...holdKeys, ...questionKeys, ...outageKeys],
    basis: 'API: archive',
  },
  { on: 'unarchive', from: ['archived'], to: 'needs_input', clears: restKeys, basis: 'API: unarchive' },
  {
    on: 'elicitation_asked',
    from: ['running'],
    to: 'needs_input',
    clears: ['lost_elicitation'],
    basis: 'API: an agent waits for an answer',
  },
  {
    // Or expired: the agent waits no longer.
    on: 'elicitation_answered',
    from: ['needs_input'],
    to: 'running',
    clears: questionKeys,
    basis: 'API: elicitation respond',
  },
] as const satisfies readonly Transition[]

export type TransitionCause = (typeof transitions)[number]['on']

export function findTransition(cause: TransitionCause, from: SessionStatus): Transition | undefined {
  const rules: readonly Transition[] = transitions
  return rules.find((rule) => rule.on === cause && rule.from.includes(from))
}
