import type { Session } from '@yardmaster/contract/sessions/fields'
import type { FireOutcome } from '@yardmaster/contract/triggers/fields'
import type { Updateable } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import type { SessionPlan } from '../lifecycle/lifecycle.ts'
import type { TriggerEvent } from './event.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'

/** How a session would be spawned, or why it cannot be. */
export type SpawnPlan = { plan: SessionPlan; rootName: string } | { problem: Refusal }

/** A fire in its transaction, under the trigger's lock. */
export type Firing = {
  app: App
  tx: Transaction
  trigger: TriggerRow
  conditions: readonly ConditionRow[]
  /** The condition that matched; undefined for an invoke. */
  condition: ConditionRow | undefined
  /** The first renders the prompt; the others are folded into it. */
  events: readonly [TriggerEvent, ...TriggerEvent[]]
  prompt: string
  timezone: string
  plan: SpawnPlan | undefined
  now: Date
}

/** What a fire came to. */
export type Decision = {
  outcome: FireOutcome
  sessionId: number | null
  reason: string | null
  /** What it changes about the trigger. */
  changes?: Updateable<Tables['triggers']>
  /** The session that was spawned. */
  session?: Session
  /** A one-time trigger whose session cannot be followed up: there is nothing to do. */
  isTargetUnusable?: boolean
}

/** A trigger that only has conditions that fire once. */
export function isOneTime(conditions: readonly Pick<ConditionRow, 'is_one_shot'>[]): boolean {
  return conditions.length > 0 && conditions.every(({ is_one_shot }) => is_one_shot)
}

/** A trigger that resumes a session once. */
export function isWake(
  { reuse_session }: Pick<TriggerRow, 'reuse_session'>,
  conditions: readonly Pick<ConditionRow, 'is_one_shot'>[],
): boolean {
  return reuse_session && isOneTime(conditions)
}

const inheritedWindowSeconds = 60

/** How many seconds of a conversation are one event. */
export function windowOf({ coalesce_window_seconds: stored }: Pick<TriggerRow, 'coalesce_window_seconds'>): number {
  return stored ?? inheritedWindowSeconds
}
