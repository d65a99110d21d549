import type { PostDeployTasks } from '@yardmaster/contract/health/action-fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { rearmTasks, selectTasks, type TaskRow } from '../../platform/jobs/one-time-store.ts'
import { runOneTimeTasks } from '../../platform/jobs/one-time-task.ts'
import type { RunResult } from '../../platform/jobs/periodic.ts'
import type { App } from '../app.ts'
import { runPostDeployTasksJob } from './run-post-deploy-tasks-job.ts'
import { counted, critical, healthy, warning } from './sections/facts.ts'

/** One slice of the first task that is due. */
export function workOnTasks(app: App, signal: AbortSignal): Promise<RunResult> {
  const { db, log, redactor } = app
  return runOneTimeTasks(app, app.oneTimeTasks, { db, log, redact: redactor.text, signal })
}

/** Failed tasks are tried again soon. Tasks that are at work or done are left alone. */
export async function runPostDeployTasks(app: App) {
  const rearmed = await rearmTasks(app.db)
  await transact(app.db, (tx) => enqueue(tx, runPostDeployTasksJob, {}, { key: runPostDeployTasksJob.name }))
  return { rearmed, enqueued: true as const, ...(await summariseTasks(app, app.db)) }
}

export async function summariseTasks(app: App, db: Database): Promise<PostDeployTasks> {
  const rows = await selectTasks(db)
  const count = (status: TaskRow['status']) => rows.filter((row) => row.status === status).length
  const blocked = rows.filter(isBlocked).length
  const failed = count('failed')
  const isRecorded = (version: string) => rows.some((row) => row.version === version)
  return {
    status: judge(failed, blocked),
    total: rows.length,
    pending: count('pending'),
    running: count('running'),
    succeeded: count('succeeded'),
    failed,
    blocked,
    awaiting_first_tick: app.oneTimeTasks.filter(({ version }) => !isRecorded(version)).length,
    tasks: rows.filter(({ status }) => status !== 'succeeded').map((row) => present(app, row)),
  }
}

function judge(failed: number, blocked: number) {
  if (blocked > 0)
    return critical(`${counted(blocked, 'post-deploy task')} failed and out of retries`, 'post_deploy_blocked')
  if (failed > 0) return warning(`${counted(failed, 'post-deploy task')} failed and will be tried again`)
  return healthy('No post-deploy tasks outstanding')
}

function isBlocked({ status, next_attempt_at }: TaskRow): boolean {
  return status === 'failed' && next_attempt_at === null
}

function present(app: App, row: TaskRow): PostDeployTasks['tasks'][number] {
  const time = (at: Date | null) => at && formatTimestamp(at)
  return {
    version: row.version,
    name: row.name,
    status: row.status,
    registered: app.oneTimeTasks.some(({ version }) => version === row.version),
    attempts: row.attempts,
    failures: row.failures,
    blocked: isBlocked(row),
    stats: row.stats,
    started_at: time(row.started_at),
    finished_at: time(row.finished_at),
    last_ran_at: time(row.last_ran_at),
    next_attempt_at: time(row.next_attempt_at),
    last_error: row.last_error,
    last_error_at: time(row.last_error_at),
  }
}
