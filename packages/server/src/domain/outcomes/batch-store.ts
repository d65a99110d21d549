import { limits } from '@yardmaster/contract/limits'
import type { itemStates, NewBatch } from '@yardmaster/contract/outcomes/fields'
import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import { metadataText } from '../sessions/session.ts'

type ItemTable = {
  id: Generated<number>
  batch_id: number
  session_id: number
  state: Generated<(typeof itemStates)[number]>
  reason: string | null
  analyzer_session_id: number | null
  corrections: Generated<number>
  started_at: Date | null
  ended_at: Date | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    outcome_batches: { id: Generated<number>; concurrency: number; created_at: Date }
    outcome_items: ItemTable
  }
}

export type ItemRow = Selectable<ItemTable>
export type BatchRow = { id: number; concurrency: number; created_at: Date }

export async function insertBatch(tx: Transaction, row: Omit<BatchRow, 'id'>): Promise<BatchRow> {
  return tx.insertInto('outcome_batches').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Leaves out sessions that another batch is about to analyse. Waits for a batch that is being made. */
export async function insertItems(tx: Transaction, batchId: number, sessionIds: readonly number[]): Promise<ItemRow[]> {
  return tx
    .insertInto('outcome_items')
    .values(sessionIds.map((session_id) => ({ batch_id: batchId, session_id })))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

export async function selectBatch(db: Database, id: number): Promise<BatchRow | undefined> {
  return db.selectFrom('outcome_batches').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function selectItems(db: Database, batchId: number): Promise<ItemRow[]> {
  return db.selectFrom('outcome_items').selectAll().where('batch_id', '=', batchId).orderBy('id').execute()
}

const isOpen = sql<boolean>`outcome_items.state in ('queued', 'running')`

/** Archived sessions with a transcript that have no analysis, wait for none and made none; newest first. */
export async function selectAnalyzable(
  db: Database,
  { from, to, agent_root, agent_runtime, model }: Omit<NewBatch, 'session_ids' | 'concurrency'>,
): Promise<number[]> {
  const conditions = [
    sql`sessions.status = 'archived' and sessions.summary_of_session_id is null`,
    sql`not exists (select from outcome_analyses made where made.session_id = sessions.id and made.superseded_at is null)`,
    sql`not exists (select from outcome_analyses made where made.analyzer_session_id = sessions.id)`,
    sql`not exists (
      select from outcome_items
      where outcome_items.analyzer_session_id = sessions.id or (outcome_items.session_id = sessions.id and ${isOpen})
    )`,
    sql`exists (
      select from transcript_threads thread
      where thread.session_id = sessions.id and thread.thread = ${mainThread} and thread.entry_count > 0
    )`,
    ...(from === undefined ? [] : [sql`sessions.created_at >= ${from}::timestamp at time zone 'UTC'`]),
    ...(to === undefined ? [] : [sql`sessions.created_at < (${to}::timestamp + interval '1 day') at time zone 'UTC'`]),
    ...(agent_root === undefined ? [] : [sql`${metadataText('agent_root_key')} = ${agent_root}`]),
    ...(agent_runtime === undefined ? [] : [sql`sessions.agent_runtime = ${agent_runtime}`]),
    ...(model === undefined ? [] : [sql`sessions.config ->> 'model' = ${model}`]),
  ]
  const rows = await db
    .selectFrom('sessions')
    .select('sessions.id')
    .where(sql<boolean>`${sql.join(conditions, sql` and `)}`)
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(limits.analysisBatch.found)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether a batch made the session in order to analyse another one. */
export async function isAnalyzerOfItem(tx: Database, sessionId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('outcome_items')
    .select('id')
    .where('analyzer_session_id', '=', sessionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Batches with queued items. */
export async function selectOpenBatches(db: Database): Promise<number[]> {
  const rows = await db
    .selectFrom('outcome_items')
    .select('batch_id')
    .distinct()
    .where('state', '=', 'queued')
    .orderBy('batch_id')
    .execute()
  return rows.map(({ batch_id }) => batch_id)
}

/** The first queued item of a batch, unless as many run as may. */
export async function selectNextItem(db: Database, batchId: number): Promise<ItemRow | undefined> {
  return db
    .selectFrom('outcome_items')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('state', '=', 'queued')
    .where(hasRoom(batchId))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

function hasRoom(batchId: number) {
  return sql<boolean>`
    (select count(*) from outcome_items running where running.batch_id = ${batchId} and running.state = 'running')
      < (select concurrency from outcome_batches where id = ${batchId})`
}

/** While it is held, no item of the batch starts. */
export async function lockBatch(tx: Transaction, batchId: number): Promise<void> {
  await tx.selectFrom('outcome_batches').select('id').where('id', '=', batchId).forNoKeyUpdate().execute()
}

/** Answers how many there were. */
export async function cancelQueuedItems(tx: Transaction, batchId: number, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('outcome_items')
    .set({ state: 'cancelled', ended_at: now })
    .where('batch_id', '=', batchId)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Of two hosts, one holds the batch. False if as many of it run as may. */
export async function lockBatchWithRoom(tx: Transaction, batchId: number): Promise<boolean> {
  // Two statements: the count must see what the holder of the lock committed.
  await lockBatch(tx, batchId)
  const row = await tx
    .selectFrom('outcome_batches')
    .select('id')
    .where('id', '=', batchId)
    .where(hasRoom(batchId))
    .executeTakeFirst()
  return row !== undefined
}

/** Undefined if the item is no longer in that state. */
export async function lockItem(tx: Transaction, id: number, state: ItemRow['state']): Promise<ItemRow | undefined> {
  return tx
    .selectFrom('outcome_items')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', state)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function updateItem(
  tx: Transaction,
  id: number,
  changes: Partial<Omit<ItemRow, 'id' | 'batch_id' | 'session_id'>>,
): Promise<void> {
  await tx.updateTable('outcome_items').set(changes).where('id', '=', id).execute()
}

/** Running items whose analyzer is at rest or was deleted. */
export async function selectItemsAtRest(db: Database): Promise<number[]> {
  const rows = await db
    .selectFrom('outcome_items')
    .leftJoin('sessions', 'sessions.id', 'outcome_items.analyzer_session_id')
    .select('outcome_items.id')
    .where('outcome_items.state', '=', 'running')
    .where(sql<boolean>`(sessions.id is null or sessions.status in ('needs_input', 'failed', 'archived'))`)
    .orderBy('outcome_items.id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function selectAnalyzer(db: Database, itemId: number): Promise<number | null> {
  const row = await db
    .selectFrom('outcome_items')
    .select('analyzer_session_id')
    .where('id', '=', itemId)
    .executeTakeFirst()
  return row?.analyzer_session_id ?? null
}
