import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@yardmaster/contract/json'
import type { Database } from '../db/database.ts'
import type { Log } from '../log/log.ts'
import {
  claimTask,
  failExpiredTasks,
  finishTask,
  insertTasks,
  recordTaskFailure,
  type TaskStats,
  yieldTask,
} from './one-time-store.ts'
import type { RunResult } from './periodic.ts'

/** Work that a new version does once on the data of older ones. It may run twice, so a second run must be harmless. */
export type OneTimeTask<App> = {
  /** Orders the tasks: the time at which it was written, as in 20261116000000. Never changes. */
  version: string
  name: string
  /** Works until it is done or `signal` aborts, then says where to go on. Without a cursor it is done. */
  run(app: App, slice: Slice): Promise<SliceResult>
}

type Slice = { cursor: JsonObject | null; stats: TaskStats; signal: AbortSignal }
type SliceResult = { cursor?: JsonObject; stats: TaskStats }

type Host = { db: Database; log: Log; redact(text: string): Promise<string> }

/** A slice leaves room for other work of its queue. */
const sliceMs = 90_000

/** Records new tasks and works on the first one that is due, for one slice. */
export async function runOneTimeTasks<App>(
  app: App,
  tasks: readonly OneTimeTask<App>[],
  { db, log, redact, signal }: Host & { signal: AbortSignal },
): Promise<RunResult> {
  await insertTasks(db, tasks)
  await failExpiredTasks(db)
  const lease = randomUUID()
  const claimed = await claimTask(db, { lease, versions: tasks.map(({ version }) => version) })
  const task = tasks.find(({ version }) => version === claimed?.version)
  if (!claimed || !task) return 'done'
  const about = { task: task.name, version: task.version }
  try {
    const slice = AbortSignal.any([signal, AbortSignal.timeout(sliceMs)])
    const { cursor, stats } = await task.run(app, { cursor: claimed.cursor, stats: claimed.stats, signal: slice })
    if (cursor === undefined) {
      await finishTask(db, lease, stats)
      // The health report shows it. A start that fails later says only why.
      log.debug({ ...about, stats }, 'a one-time task is done')
    } else await yieldTask(db, lease, { cursor, stats })
    return 'again'
  } catch (error) {
    log.error({ ...about, err: error }, 'a one-time task failed')
    await recordTaskFailure(db, lease, await redact(String(error)))
    return 'done'
  }
}
