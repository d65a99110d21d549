import type { EventFilter } from '../events/event.ts'
import type { QueueName } from './queues.ts'

/** A task that runs at an interval on a worker. A room declares its own; start-up runs them all. */
export type Periodic<App> = {
  /** Unique among all rooms. It appears in logs, metrics and the health report. */
  name: string
  /** Pausing this queue pauses the task. Null only for a task whose pause would make other hosts believe this one dead. */
  queue: QueueName | null
  intervalMs: number
  /** `one_host`: one run at a time across all hosts, by a lease. `every_host`: each host runs it. */
  runs: 'one_host' | 'every_host'
  /** Runs at a time on a host; default 1. */
  concurrency?: number
  /** Events that start a run at once instead of at the next interval. Events during a run start one more run after it. */
  wakeOn?: readonly EventFilter[]
  /** Assume that two hosts run it at once after a lease was lost: a second run must be harmless. */
  run(app: App, signal: AbortSignal): Promise<RunResult> | Promise<void>
}

/** `done`, or nothing: due at the next interval. `again`: there is more to do, run again at once. A number: after so many milliseconds. */
export type RunResult = 'done' | 'again' | { againAfterMs: number }

export function refuseDuplicateNames(entries: readonly { name: string }[]): void {
  const names = new Set<string>()
  for (const { name } of entries) {
    if (names.has(name)) throw new Error(`two rooms declare background work named ${name}`)
    names.add(name)
  }
}
