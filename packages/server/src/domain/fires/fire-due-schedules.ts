import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import { type DueCondition, selectDueConditions } from './fire-store.ts'
import { fireTrigger } from './fire-trigger.ts'

const batchSize = 50
const parallel = 4

/**
 * Fires the schedules that are due. Every host does, one schedule at a time by the lock on its trigger. Only due rows are
 * read, so that the number of schedules that are not due costs nothing.
 */
export async function fireDueSchedules(app: App, signal: AbortSignal): Promise<RunResult> {
  const due = await selectDueConditions(app.db, batchSize)
  const waiting = [...due]
  let hasFired = false
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const { outcome } = await fireSlot(app, next)
      hasFired ||= outcome !== 'inactive'
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return due.length === batchSize && hasFired ? 'again' : 'done'
}

function fireSlot(app: App, { id, trigger_id, next_run_at }: DueCondition) {
  return fireTrigger(app, trigger_id, {
    key: `schedule:${id}:${next_run_at.toISOString()}`,
    by: 'schedule',
    conditionId: id,
    values: {},
    occurredAt: next_run_at,
    scheduledFor: next_run_at,
    ifNotFired: 'lost',
  })
}
