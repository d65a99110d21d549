import type { ConditionType, Configuration } from '@yardmaster/contract/triggers/conditions'
import type { ConditionAttributes } from '@yardmaster/contract/triggers/fields'
import { scheduleOf, timingFrom } from './arm.ts'
import { describe } from './conditions/describe.ts'
import { isOneTime, nextRun } from './conditions/schedule.ts'
import type { ConditionValues } from './trigger-store.ts'
import type { ConditionRow } from './trigger-table.ts'
import { isSame, readEdits } from './write-conditions.ts'

export type PreviewedCondition = {
  type: ConditionType | undefined
  description: string | null
  problems: string[]
  /** In the zone that the schedule is written in. Empty for other kinds. */
  runs: Date[]
  timezone: string
}

type Moment = { now: Date; isEnabled: boolean; count: number }

/** What conditions would say and when they would be due, if they were written now. */
export function previewConditions(
  attributes: readonly ConditionAttributes[],
  stored: readonly ConditionRow[],
  moment: Moment,
): PreviewedCondition[] {
  return attributes.map((attribute) => {
    const { added, changed, problems } = readEdits([attribute], stored)
    const values = added[0] ?? changed[0]?.values
    if (!values) return { type: undefined, description: null, problems, runs: [], timezone: 'UTC' }
    const { condition_type: type, configuration } = values // readEdits has validated it
    return {
      type,
      description: describe(type, configuration as Configuration),
      problems,
      runs: runsOf(
        values,
        stored.find(({ id }) => id === changed[0]?.id),
        moment,
      ),
      timezone: type === 'schedule' ? scheduleOf(values).timezone : 'UTC',
    }
  })
}

function runsOf(values: ConditionValues, row: ConditionRow | undefined, { now, isEnabled, count }: Moment): Date[] {
  if (values.condition_type !== 'schedule') return []
  const isArmed = isEnabled && row !== undefined && isSame(row, values)
  const timing = isArmed ? row : timingFrom({ last_triggered_at: null, ...row, ...values }, now)
  const schedule = scheduleOf(values)
  if (!timing?.next_run_at) return []
  const runs = [timing.next_run_at]
  while (!isOneTime(schedule) && runs.length < count) {
    runs.push(nextRun(schedule, timing.armed_at, runs.at(-1) ?? now))
  }
  return runs
}
