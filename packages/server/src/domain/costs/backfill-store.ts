import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

type BackfillTable = {
  id: Generated<number>
  trigger: 'automatic' | 'manual'
  last_session_id: Generated<number>
  sessions_done: Generated<number>
  sessions_total: Generated<number>
  threads_scanned: Generated<number>
  rows_written: Generated<number>
  last_error: string | null
  created_at: Generated<Date>
  started_at: Date | null
  last_ran_at: Date | null
  finished_at: Date | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    cost_backfills: BackfillTable
  }
}

export type Run = Selectable<BackfillTable>

/**
 * The unfinished run. Of two callers at once, one makes it and both get it. The update changes nothing: it returns the row, in the
 * statement that found it, so that the run cannot finish in between.
 */
export async function startRun(db: Database | Transaction, trigger: Run['trigger']): Promise<Run> {
  const { rows } = await sql<Run>`
    insert into cost_backfills as known (trigger)
    values (${trigger})
    on conflict ((true)) where finished_at is null do update set trigger = known.trigger
    returning *
  `.execute(db)
  const [run] = rows
  if (!run) throw new Error('no run was started')
  return run
}

export function findLatestRun(db: Database): Promise<Run | undefined> {
  return db.selectFrom('cost_backfills').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst()
}

export async function findLastFinish(db: Database): Promise<Date | undefined> {
  const { last } = await db
    .selectFrom('cost_backfills')
    .select(({ fn }) => fn.max('finished_at').as('last'))
    .executeTakeFirstOrThrow()
  return last ?? undefined
}

/** Sets the size of the run when it begins. */
export async function recordStart(db: Database, run: Run, sessionCount: number): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({ started_at: sql<Date>`now()`, sessions_total: sessionCount, last_error: null })
    .where('id', '=', run.id)
    .where('started_at', 'is', null)
    .execute()
}

/** Counts the calls that were missing, in the transaction that writes them. */
export async function recordRows(tx: Transaction, runId: number, count: number): Promise<void> {
  await tx
    .updateTable('cost_backfills')
    .set({ rows_written: sql<number>`rows_written + ${count}` })
    .where('id', '=', runId)
    .execute()
}

/** Moves the cursor past a session that was read. A second host that read the same session changes nothing. */
export async function recordSession(
  db: Database,
  run: Run,
  { sessionId, threadCount, problem }: { sessionId: number; threadCount: number; problem: string | undefined },
): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({
      last_session_id: sessionId,
      sessions_done: sql<number>`sessions_done + 1`,
      sessions_total: sql<number>`greatest(sessions_total, sessions_done + 1)`,
      threads_scanned: sql<number>`threads_scanned + ${threadCount}`,
      last_ran_at: sql<Date>`now()`,
      ...(problem !== undefined && { last_error: problem }),
    })
    .where('id', '=', run.id)
    .where('last_session_id', '<', sessionId)
    .execute()
}

/** The cursor stays: the next slice tries again. */
export async function recordProblem(db: Database, run: Run, problem: string): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({ last_error: problem, last_ran_at: sql<Date>`now()` })
    .where('id', '=', run.id)
    .execute()
}

export async function finishRun(db: Database, run: Run): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({ finished_at: sql<Date>`now()`, last_ran_at: sql<Date>`now()` })
    .where('id', '=', run.id)
    .where('finished_at', 'is', null)
    .execute()
}

/** The oldest and the newest call. */
export async function selectCovered(db: Database): Promise<{ since: Date | null; until: Date | null }> {
  return db
    .selectFrom('session_usage')
    .select(({ fn }) => [fn.min('called_at').as('since'), fn.max('called_at').as('until')])
    .executeTakeFirstOrThrow()
}
