import type { FireOutcome } from '@yardmaster/contract/fires/fields'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import type { SessionPlan } from '../lifecycle/lifecycle.ts'
import type { ConditionRow, FireChanges, TriggerRow } from '../triggers/trigger.ts'
import type { TriggerEvent } from './event.ts'

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
  changes?: FireChanges
  /** The session that was spawned. */
  session?: Session
  /** A one-time trigger whose session cannot be followed up: there is nothing to do. */
  isTargetUnusable?: boolean
}
