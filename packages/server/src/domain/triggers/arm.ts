import type { Configuration } from '@yardmaster/contract/triggers/conditions'
import type { Transaction } from '../../platform/db/database.ts'
import { firstRun, instantOfOneTime, isOneTime, nextRun } from './conditions/schedule.ts'
import { updateTiming } from './trigger-store.ts'
import type { ConditionRow } from './trigger-table.ts'

export function scheduleOf({ configuration }: Pick<ConditionRow, 'configuration'>): Configuration<'schedule'> {
  return configuration as Configuration<'schedule'> // validated when it was written
}

/** When a schedule is due after a fire; null if it fires once, and for other kinds of condition. */
export function nextRunAfter(condition: ConditionRow, now: Date): Date | null {
  if (condition.condition_type !== 'schedule') return null
  const schedule = scheduleOf(condition)
  return isOneTime(schedule) ? null : nextRun(schedule, condition.armed_at, now)
}

const unitMs = { minutes: 60_000, hours: 3_600_000 } as const

/** What decides from when a condition counts. */
type Armable = Pick<ConditionRow, 'condition_type' | 'configuration' | 'is_one_shot' | 'last_triggered_at'>

/**
 * Makes a condition count from now: when it is made, enabled or retimed. Minutes and hours are due at once, unless it fired
 * less than an interval ago. One that fires once and has fired stays as it is.
 */
export async function armCondition(tx: Transaction, condition: ConditionRow, now: Date): Promise<void> {
  const timing = timingFrom(condition, now)
  if (timing) await updateTiming(tx, condition.id, timing)
}

/** The timing of a condition that counts from now; undefined if it has fired and fires once. */
export function timingFrom(condition: Armable, now: Date): { armed_at: Date; next_run_at?: Date } | undefined {
  if (condition.is_one_shot && condition.last_triggered_at !== null) return undefined
  if (condition.condition_type !== 'schedule') return { armed_at: now }
  const schedule = scheduleOf(condition)
  if (isOneTime(schedule)) return { armed_at: now, next_run_at: instantOfOneTime(schedule) }
  const armed_at = countsFrom(condition, now)
  return { armed_at, next_run_at: firstRun(schedule, armed_at) }
}

function countsFrom(condition: Armable, now: Date): Date {
  const schedule = scheduleOf(condition)
  const { last_triggered_at: last } = condition
  if (isOneTime(schedule) || last === null || (schedule.unit !== 'minutes' && schedule.unit !== 'hours')) return now
  return new Date(Math.max(now.getTime(), last.getTime() + schedule.interval * unitMs[schedule.unit]))
}
