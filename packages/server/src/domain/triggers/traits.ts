import type { Genesis } from '@yardmaster/contract/sessions/fields'
import { type ConditionType, conditionTypes } from '@yardmaster/contract/triggers/conditions'
import type { Target } from './trigger-store.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'

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

/** The origin of the sessions that conditions of these types spawn. */
export function genesisOfTypes(types: readonly ConditionType[]): Genesis {
  return conditionTypes.find((type) => types.includes(type)) ?? 'unknown'
}

/** A session that a trigger may follow up: not failed, not archived, and not paused by a person. */
export function isReusable({ status, is_paused }: Pick<Target, 'status' | 'is_paused'>): boolean {
  return (status === 'waiting' || status === 'running' || status === 'needs_input') && !is_paused
}
