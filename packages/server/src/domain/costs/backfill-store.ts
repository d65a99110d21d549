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
  /** About the last session that was skipped. */
  last_error: string | null
  sessions_skipped: Generated<number>
  /** About a session that is tried again; null after it was read. */
  failure: string | null
  failing_session_id: number | null
  created_at: Generated<Date>
  started_at: Date | null
  last_ran_at: Date | null
  finished_at: Date | null
}

/** A session whose files another host reads. */
type HandOverTable = { run_id: number; session_id: number; host_id: string; asked_at: Generated<Date> }

declare module '../../platform/db/tables.ts' {
  interface Tables {
    cost_backfills: BackfillTable
    cost_hand_overs: HandOverTable
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
    .set({ started_at: sql<Date>`now()`, sessions_total: sessionCount, failure: null })
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
  { sessionId, threadCount, problem }: { sessionId: number; threadCount: number; problem?: string | undefined },
): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({
      last_session_id: sessionId,
      sessions_done: sql<number>`sessions_done + 1`,
      sessions_total: sql<number>`greatest(sessions_total, sessions_done + 1)`,
      threads_scanned: sql<number>`threads_scanned + ${threadCount}`,
      last_ran_at: sql<Date>`now()`,
      ...outcomeOf(sessionId, problem),
    })
    .where('id', '=', run.id)
    .where('last_session_id', '<', sessionId)
    .execute()
}

/** A session that was read at last has no failure any more. One with a problem was skipped. */
function outcomeOf(sessionId: number, problem: string | undefined) {
  return {
    failure: sql<string | null>`case when failing_session_id = ${sessionId} then null else failure end`,
    failing_session_id: sql<number | null>`nullif(failing_session_id, ${sessionId})`,
    ...(problem !== undefined && { last_error: problem, sessions_skipped: sql<number>`sessions_skipped + 1` }),
  }
}

export type HandOver = { runId: number; sessionId: number; hostId: string }

export async function insertHandOver(tx: Transaction, { runId, sessionId, hostId }: HandOver): Promise<void> {
  await tx
    .insertInto('cost_hand_overs')
    .values({ run_id: runId, session_id: sessionId, host_id: hostId })
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'session_id']).doUpdateSet({ host_id: hostId, asked_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Ends a hand-over, once: a job may run twice. */
export async function endHandOver(
  tx: Transaction,
  { runId, sessionId, problem }: { runId: number; sessionId: number; problem?: string | undefined },
): Promise<void> {
  const ended = await tx
    .deleteFrom('cost_hand_overs')
    .where('run_id', '=', runId)
    .where('session_id', '=', sessionId)
    .returning('session_id')
    .executeTakeFirst()
  if (!ended) return
  await tx
    .updateTable('cost_backfills')
    .set({ last_ran_at: sql<Date>`now()`, ...outcomeOf(sessionId, problem) })
    .where('id', '=', runId)
    .execute()
}

/** Hand-overs that a host will not end: it is dead, or it has not answered for so long. */
export async function selectLostHandOvers(
  db: Database,
  runId: number,
  { liveHosts, maxHours }: { liveHosts: readonly string[]; maxHours: number },
): Promise<{ sessionId: number; hostId: string }[]> {
  const { rows } = await sql<{ sessionId: number; hostId: string }>`
    select session_id as "sessionId", host_id as "hostId"
    from cost_hand_overs
    where run_id = ${runId}
      and (asked_at < now() - make_interval(hours => ${maxHours}) or host_id <> all(${[...liveHosts]}::text[]))
    order by session_id
  `.execute(db)
  return rows
}

/** The cursor stays: the next slice tries again. Writes only what is new, because an idle sweep comes here every few seconds. */
export async function recordFailure(
  db: Database,
  runId: number,
  { sessionId = null, failure }: { sessionId?: number | null; failure: string },
): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({ failure, failing_session_id: sessionId, last_ran_at: sql<Date>`now()` })
    .where('id', '=', runId)
    .where('failure', 'is distinct from', failure)
    .execute()
}

/** Not before every host has read what was handed over to it. */
export async function finishRun(db: Database, runId: number): Promise<void> {
  await db
    .updateTable('cost_backfills')
    .set({ finished_at: sql<Date>`now()`, last_ran_at: sql<Date>`now()` })
    .where('id', '=', runId)
    .where('finished_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('cost_hand_overs').select('session_id').where('run_id', '=', runId))),
    )
    .execute()
}

/** The oldest and the newest call. */
export async function selectCovered(db: Database): Promise<{ since: Date | null; until: Date | null }> {
  return db
    .selectFrom('session_usage')
    .select(({ fn }) => [fn.min('called_at').as('since'), fn.max('called_at').as('until')])
    .executeTakeFirstOrThrow()
}
