import type { JsonObject } from '@yardmaster/contract/json'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { truncate } from '../truncate.ts'

export type TaskStats = Record<string, number>

type TaskTable = {
  version: string
  name: string
  status: 'pending' | 'running' | 'succeeded' | 'failed'
  attempts: number
  failures: number
  cursor: JsonObject | null
  stats: TaskStats
  lease_id: string | null
  lease_expires_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  last_ran_at: Date | null
  /** Null after the last failure: the task is blocked until it is armed again. */
  next_attempt_at: Date | null
  last_error: string | null
  last_error_at: Date | null
}

declare module '../db/tables.ts' {
  interface Tables {
    post_deploy_tasks: TaskTable
  }
}

export type TaskRow = Selectable<TaskTable>

export async function insertTasks(db: Database, tasks: readonly { version: string; name: string }[]): Promise<void> {
  await sql`
    insert into post_deploy_tasks (version, name)
    select *
    from unnest(${tasks.map(({ version }) => version)}::text[], ${tasks.map(({ name }) => name)}::text[])
    on conflict (version) do nothing
  `.execute(db)
}

/** Far longer than a slice. Only the database's clock decides when it expires. */
const leaseMinutes = 20

/** The first task that is due; undefined if there is none, or other hosts hold them all. */
export async function claimTask(
  db: Database,
  { lease, versions }: { lease: string; versions: readonly string[] },
): Promise<TaskRow | undefined> {
  const { rows } = await sql<TaskRow>`
    update post_deploy_tasks
    set status = 'running',
        lease_id = ${lease},
        lease_expires_at = now() + make_interval(mins => ${leaseMinutes}),
        attempts = attempts + 1,
        started_at = coalesce(started_at, now()),
        last_ran_at = now()
    where version = (
      select version
      from post_deploy_tasks
      where version = any(${versions}::text[])
        and status in ('pending', 'failed')
        and next_attempt_at <= now()
      order by version
      limit 1
      for update skip locked
    )
    returning *
  `.execute(db)
  return rows[0]
}

export async function finishTask(db: Database, lease: string, stats: TaskStats): Promise<void> {
  await endSlice(
    db,
    lease,
    sql`status = 'succeeded', finished_at = now(), next_attempt_at = null, stats = ${JSON.stringify(stats)}`,
  )
}

/** The failures stay: a task that fails on its way must not start counting at each slice that works. */
export async function yieldTask(
  db: Database,
  lease: string,
  { cursor, stats }: { cursor: JsonObject; stats: TaskStats },
): Promise<void> {
  const kept = sql`cursor = ${JSON.stringify(cursor)}, stats = ${JSON.stringify(stats)}`
  await endSlice(db, lease, sql`status = 'pending', next_attempt_at = now(), ${kept}`)
}

const backoffMinutes = [1, 5, 15, 30, 60]
const errorLength = 4000

const failed = (error: string) => sql`
  status = 'failed',
  failures = failures + 1,
  -- Null beyond the end of the list: blocked.
  next_attempt_at = now() + make_interval(mins => (${backoffMinutes}::int[])[failures + 1]),
  last_error = ${truncate(error, errorLength)},
  last_error_at = now()
`

export async function recordTaskFailure(db: Database, lease: string, error: string): Promise<void> {
  await endSlice(db, lease, failed(error))
}

/** A lost lease changes nothing: another host has recorded the failure, and may have begun again. */
async function endSlice(db: Database, lease: string, changes: ReturnType<typeof failed>): Promise<void> {
  await sql`
    update post_deploy_tasks
    set lease_id = null, lease_expires_at = null, ${changes}
    where lease_id = ${lease}
  `.execute(db)
}

export async function failExpiredTasks(db: Database): Promise<void> {
  await sql`
    update post_deploy_tasks
    set lease_id = null, lease_expires_at = null, ${failed('The host that ran it stopped before the end of its slice.')}
    where status = 'running'
      and lease_expires_at < now()
  `.execute(db)
}

/** Failed tasks are due now, with all their attempts. Returns how many there were. */
export async function rearmTasks(db: Database): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('post_deploy_tasks')
    .set({ status: 'pending', failures: 0, next_attempt_at: sql<Date>`now()` })
    .where('status', '=', 'failed')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export function selectTasks(db: Database): Promise<TaskRow[]> {
  return db.selectFrom('post_deploy_tasks').selectAll().orderBy('version').execute()
}
