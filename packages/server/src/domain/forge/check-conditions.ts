import { handleJob } from '../app.ts'
import { reportUnheard } from '../fires/fire.ts'
import { findConditions } from '../triggers/trigger.ts'
import { checkConditionsJob } from './check-conditions-job.ts'

/** Longer than the longest pause between two polls. */
const silenceMs = 15 * 60_000

/** Reports the conditions that no poll has reached for long: one whose search always fails does not stop the others. */
export const checkConditions = handleJob(checkConditionsJob, async (_payload, app) => {
  if (!app.forge.client) return
  const now = app.clock.now().getTime()
  for (const condition of await findConditions(app.db, ['forge_label', 'forge_issue'])) {
    const { armed_at: armedAt, last_polled_at: polledAt } = condition
    const since = polledAt && polledAt > armedAt ? polledAt : armedAt
    if (now - since.getTime() > silenceMs)
      await reportUnheard(app, condition, `The forge was not polled for this condition since ${since.toISOString()}.`)
  }
})
