import type { Database } from '../db/database.ts'
import { isOutage } from '../db/outage.ts'
import type { Log } from '../log/log.ts'
import { type RetryLevel, retryLevel } from '../log/retry-level.ts'
import type { Metrics } from '../metrics.ts'
import { upsertRun } from './run-store.ts'

export type RunReportOptions = {
  db: Database
  hostId: string
  metrics: Metrics
  log: Log
  /** Removes secrets from the text of an error before it is stored. */
  redact(text: string): Promise<string>
}

export type RunReports = {
  succeeded(name: string, durationMs: number): Promise<void>
  failed(name: string, durationMs: number, error: unknown): Promise<void>
}

/** A task that runs every two seconds writes its row at this pace while it succeeds. Failures are written at once. */
const saveEveryMs = 30_000

/** Logs, counts and stores how the periodic tasks of a host run. */
export function runReports({ db, hostId, metrics, log, redact }: RunReportOptions): RunReports {
  const tasks = new Map<string, { consecutiveFailures: number; level: RetryLevel; savedAt: number }>()
  const saveLevel = retryLevel()
  let isDatabaseAway = false

  const stateOf = (name: string) => {
    const state = tasks.get(name) ?? { consecutiveFailures: 0, level: retryLevel(), savedAt: Number.NEGATIVE_INFINITY }
    tasks.set(name, state)
    return state
  }
  const save = async (name: string, durationMs: number, error?: string): Promise<void> => {
    const state = stateOf(name)
    const { consecutiveFailures } = state
    try {
      await upsertRun(db, { name, hostId, durationMs, error, consecutiveFailures })
      state.savedAt = performance.now()
      saveLevel.reset()
    } catch (saveError) {
      log[saveLevel.of(saveError)]({ err: saveError }, 'the report of a periodic task could not be saved')
    }
  }
  return {
    succeeded: async (name, durationMs) => {
      metrics.periodicRuns.inc({ name, outcome: 'succeeded' })
      if (isDatabaseAway) log.info('periodic tasks reach the database again')
      isDatabaseAway = false
      const state = stateOf(name)
      const wasFailing = state.consecutiveFailures > 0
      if (wasFailing) log.info({ failures: state.consecutiveFailures }, 'a periodic task works again')
      state.consecutiveFailures = 0
      state.level.reset()
      if (wasFailing || performance.now() - state.savedAt >= saveEveryMs) await save(name, durationMs)
    },
    failed: async (name, durationMs, error) => {
      if (isOutage(error)) {
        metrics.periodicRuns.inc({ name, outcome: 'database_unavailable' })
        const level = isDatabaseAway ? 'debug' : 'warn'
        log[level]({ reason: String(error) }, 'periodic tasks cannot reach the database; trying again')
        isDatabaseAway = true
        return
      }
      metrics.periodicRuns.inc({ name, outcome: 'failed' })
      const state = stateOf(name)
      state.consecutiveFailures += 1
      const about = { consecutiveFailures: state.consecutiveFailures, err: error }
      log[state.level.of(error)](about, 'a periodic task failed')
      await save(name, durationMs, await redact(String(error)))
    },
  }
}
