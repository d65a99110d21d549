import type { FireOutcome, FireSource } from '@yardmaster/contract/fires/fields'
import type { Genesis } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import type { RedactedContent } from '../hierarchy/hierarchy.ts'
import type { TemplateValues } from './template.ts'

/** Something that fires a trigger. */
export type TriggerEvent = {
  /** The same whichever way the event is seen: a trigger claims each key once. */
  key: string
  by: FireSource
  /** Invokes only: the origin of the session that is started. */
  genesis?: Genesis
  /** Null for an invoke, which no condition asked for. */
  conditionId: number | null
  values: TemplateValues
  occurredAt: Date
  /** Chat only: the channel, thread or direct conversation. Events of one conversation within the window are one. */
  conversation?: string
  /** Chat only: who wrote the message, recorded with the session that it reaches. */
  human?: { chatUserId: string; isDirect: boolean; roomName?: string; content: RedactedContent }
  /** Whether an event that started nothing is lost, or is seen again and retried. */
  ifNotFired: 'lost' | 'retry'
  /** Schedules only: the slot. The fire is void if the condition is no longer due then. */
  scheduledFor?: Date
  /** Fires a one-time condition again later, after it failed or was suppressed. A schedule moves its slot instead. */
  retryLater?(tx: Transaction, delayMs: number): Promise<void>
}

export type FireResult = {
  /** `duplicate`: claimed before. `inactive`: the trigger is gone, not enabled, or no longer has the condition. */
  outcome: FireOutcome | 'duplicate' | 'inactive'
  sessionId: number | null
  reason: string | null
}

const firedOutcomes: readonly FireResult['outcome'][] = [
  'spawned',
  'delivered',
  'queued',
  'coalesced',
  'burst_notice',
  'duplicate',
]

/** Whether the event needs no further attempt. */
export function hasFired({ outcome }: Pick<FireResult, 'outcome'>): boolean {
  return firedOutcomes.includes(outcome)
}

/** Whether people outside wrote the values of the event. */
export function isUntrusted({ by }: Pick<TriggerEvent, 'by'>): boolean {
  return by === 'chat' || by === 'forge_issue' || by === 'forge_label'
}
