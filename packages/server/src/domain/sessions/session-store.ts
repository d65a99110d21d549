import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { JsonObject } from '@yardmaster/contract/json'
import type { RefreshChoice } from '@yardmaster/contract/lifecycle/fields'
import type { Page } from '@yardmaster/contract/paging'
import type { Genesis, PriorityClass, SessionFilters, SessionStatus } from '@yardmaster/contract/sessions/fields'
import { type Expression, type ExpressionBuilder, type Insertable, type SqlBool, sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { writeJson } from '../../platform/exact-json.ts'
import { noteChange, noteCreation } from './change-store.ts'
import type { MetadataKey, SessionMetadata } from './metadata.ts'
import { changedMetadata, hasMetadata, metadataText, newMetadata } from './metadata-store.ts'
import type { SessionRow, SessionTable, SessionWithCategory } from './session-table.ts'

export function selectSession(db: Database | Transaction, ref: SessionRef): Promise<SessionWithCategory | undefined> {
  return sessionsWithCategory(db)
    .where((is) => matchesRef(is, ref))
    .executeTakeFirst()
}

export function selectSessionByKey(db: Database | Transaction, key: string): Promise<SessionWithCategory | undefined> {
  return sessionsWithCategory(db).where('sessions.idempotency_key', '=', key).executeTakeFirst()
}

/**
 * The session's row lock, which serialises decisions about it. `for no key update` still lets other transactions insert
 * rows that refer to the session: with `for update`, two sessions that refer to each other would deadlock.
 */
export function selectSessionForUpdate(tx: Transaction, ref: SessionRef): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where((is) => matchesRef(is, ref))
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** As `selectSessionForUpdate`. Undefined also if another transaction holds the lock. */
export function lockSessionIfFree(tx: Transaction, ref: SessionRef): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where((is) => matchesRef(is, ref))
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
}

/** As `selectSessionForUpdate`. Fails with a lock timeout if another transaction keeps the lock for longer than a request takes. */
export async function lockSessionSoon(tx: Transaction, ref: SessionRef): Promise<SessionRow | undefined> {
  await sql`set local lock_timeout = '100ms'`.execute(tx)
  const session = await selectSessionForUpdate(tx, ref)
  await sql`set local lock_timeout = default`.execute(tx)
  return session
}

/** The lock for a delete: conflicts with transactions that insert rows which refer to the session. */
export function selectSessionForDelete(tx: Transaction, ref: SessionRef): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where((is) => matchesRef(is, ref))
    .forUpdate()
    .executeTakeFirst()
}

/** The lock for a reference: the session cannot be deleted until the transaction ends, but it can change. */
export function selectSessionForReference(tx: Transaction, ref: SessionRef): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where((is) => matchesRef(is, ref))
    .forKeyShare()
    .executeTakeFirst()
}

export type NewSessionRow = Omit<Insertable<SessionTable>, 'metadata'> & { metadata: SessionMetadata }

/**
 * Undefined when the idempotency key or the slug is taken. The insert waits for a concurrent transaction with the same
 * key or slug, so the result is final.
 */
export async function insertSession(
  tx: Transaction,
  { metadata, ...columns }: NewSessionRow,
  status: SessionStatus = 'waiting',
): Promise<number | undefined> {
  const row = await tx
    .insertInto('sessions')
    .values({ ...columns, metadata: newMetadata(metadata), status })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row) noteCreation(tx, row.id)
  return row?.id
}

/** The next id, for files that need it in their path before the row exists. */
export async function reserveSessionId(tx: Transaction): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval(pg_get_serial_sequence('sessions', 'id')) as id`.execute(tx)
  const [reserved] = rows
  if (!reserved) throw new Error('nextval of the session id sequence returned no row')
  return reserved.id
}

export async function deleteSessionRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

export type ColumnChanges = Partial<
  Pick<
    SessionRow,
    | 'session_id'
    | 'host_id'
    | 'job_id'
    | 'running_job_id'
    | 'title'
    | 'slug'
    | 'prompt'
    | 'goal'
    | 'is_autonomous'
    | 'auto_compact_window'
    | 'scheduling_class'
    | 'precedence'
    | 'mcp_servers'
    | 'injected_mcp_servers'
    | 'catalog_skills'
    | 'catalog_hooks'
    | 'catalog_plugins'
    | 'archived_at'
    | 'trash_after'
    | 'heartbeat_enabled'
    | 'heartbeat_interval_seconds'
    | 'category_id'
    | 'favorited'
    | 'visibility'
    | 'snoozed_until'
    | 'session_notes'
    | 'session_notes_updated_at'
  >
> & {
  /** Keys to set. */
  metadata?: SessionMetadata
  /** Keys to remove. */
  forget?: readonly MetadataKey[]
  /** Keys of `config` to set. */
  config?: JsonObject
  /** Replaces the whole object, which belongs to the caller. */
  custom_metadata?: JsonObject
}

/** Only `transition` passes `status`. */
export async function updateSession(
  tx: Transaction,
  id: number,
  changes: ColumnChanges,
  status?: SessionStatus,
): Promise<void> {
  const { metadata, forget, config, custom_metadata, ...columns } = changes
  await tx
    .updateTable('sessions')
    .set({
      ...columns,
      ...(status && { status }),
      ...(config && { config: sql<string>`config || ${writeJson(config)}::jsonb` }),
      ...(custom_metadata && { custom_metadata: writeJson(custom_metadata) }),
      ...((metadata || forget) && { metadata: changedMetadata(metadata ?? {}, forget ?? []) }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
  // A change of the status has an event of its own.
  if (status === undefined) noteChange(tx, id, shownFields(changes))
}

/** Not where a turn runs: those fields change with every turn, and its events tell of it. */
function shownFields({ metadata = {}, forget = [], ...columns }: ColumnChanges): string[] {
  const keys = [...Object.keys(metadata), ...forget]
  const hasShownKey = keys.some((key) => !placeKeys.some((hidden) => hidden === key))
  return [...Object.keys(columns).filter((name) => !placeColumns.has(name)), ...(hasShownKey ? ['metadata'] : [])]
}

const placeKeys = [
  'clone_path',
  'working_directory',
  'process_pid',
  'runtime_started',
  'over_budget_turn_id',
] as const satisfies readonly MetadataKey[]
const placeColumns: ReadonlySet<string> = new Set(['session_id', 'host_id', 'job_id', 'running_job_id'])

export async function insertTransition(
  tx: Transaction,
  row: Insertable<Tables['session_transitions']>,
): Promise<number> {
  const { id } = await tx.insertInto('session_transitions').values(row).returning('id').executeTakeFirstOrThrow()
  return id
}

/** The last change of the session's state. */
export function selectLastTransition(
  db: Database | Transaction,
  sessionId: number,
): Promise<{ id: number; to_status: SessionStatus } | undefined> {
  return db
    .selectFrom('session_transitions')
    .select(['id', 'to_status'])
    .where('session_id', '=', sessionId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type ClassByGenesis = Record<Genesis, PriorityClass>

export async function lockPlacement(tx: Transaction): Promise<void> {
  await takeLock(tx, 'placement')
}

/** The maximum over all spot sessions that are not archived, without the excluded one. */
export async function highestSpotPrecedence(
  tx: Transaction,
  classByGenesis: ClassByGenesis,
  excludedId = 0,
): Promise<number | null> {
  const { highest } = await tx
    .selectFrom('sessions')
    .select(({ fn }) => fn.max('precedence').as('highest'))
    .where('status', '!=', 'archived')
    .where('id', '!=', excludedId)
    .where((is) => resolvesTo(is, 'spot', classByGenesis))
    .executeTakeFirstOrThrow()
  return highest
}

export function selectSessions(
  db: Database,
  filters: SessionFilters,
  page: Page,
  classByGenesis: ClassByGenesis,
): Promise<Paged<SessionWithCategory>> {
  const matching = (is: ExpressionBuilder<Tables, 'sessions'>): Expression<SqlBool> =>
    matchesFilters(is, filters, classByGenesis)
  const found = sessionsWithCategory(db)
    .where(matching)
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
  return selectPage(found, page, () => countMatching(db, filters, classByGenesis))
}

export function selectSessionsById(db: Database, ids: readonly number[]): Promise<SessionWithCategory[]> {
  return sessionsWithCategory(db).where(sql<SqlBool>`sessions.id = any(${ids}::bigint[])`).execute()
}

async function countSessions(
  db: Database,
  matching: (is: ExpressionBuilder<Tables, 'sessions'>) => Expression<SqlBool>,
): Promise<number> {
  const { total } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where(matching)
    .executeTakeFirstOrThrow()
  return total
}

/**
 * Sums `session_counts`, which triggers maintain, so the cost does not grow with the number of sessions. Whether a snoozed
 * session is on the board depends on the clock, so a `visibility` filter counts the snoozed rows separately.
 */
async function countMatching(db: Database, filters: SessionFilters, classByGenesis: ClassByGenesis): Promise<number> {
  const matching = (is: ExpressionBuilder<Tables, 'sessions'>): Expression<SqlBool> =>
    matchesFilters(is, filters, classByGenesis)
  const { total } = await db
    .selectFrom(
      // Named `sessions` so that the same filter conditions apply. `session_counts` lacks the two columns that are null here.
      sql<Tables['sessions']>`(
        select *, null::bigint as summary_of_session_id, null::timestamptz as snoozed_until
        from session_counts
      )`.as('sessions'),
    )
    .select(sql<number>`coalesce(sum(change), 0)::bigint`.as('total'))
    .where((is) => matching(is as never)) // the subquery has every column that the conditions use
    .executeTakeFirstOrThrow()
  if (filters.visibility === undefined) return total
  return total + (await countSessions(db, (is) => is.and([is('sessions.visibility', '=', 'snoozed'), matching(is)])))
}

const refreshable = {
  failed: (is: ExpressionBuilder<Tables, 'sessions'>) => is('sessions.status', '=', 'failed'),
  resting: (is: ExpressionBuilder<Tables, 'sessions'>) =>
    is.and([
      is('sessions.status', '=', 'needs_input'),
      is(metadataText('paused_by'), 'is distinct from', 'user'),
      is.not(hasMetadata('blocked_on_elicitation')),
      sql<SqlBool>`not exists (select from armed_wakes where armed_wakes.session_id = sessions.id)`,
    ]),
  at_work: (is: ExpressionBuilder<Tables, 'sessions'>) => is('sessions.status', 'in', ['waiting', 'running']),
}

/** Sessions of a kind outside frozen categories, highest precedence first: all, or those of a category or the favourites. */
export async function selectRefreshable(
  db: Database,
  kind: keyof typeof refreshable,
  { category_id: category, favorited }: RefreshChoice,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('sessions')
    .leftJoin('categories', 'categories.id', 'sessions.category_id')
    .select('sessions.id')
    .where((is) => is.and([refreshable[kind](is as never), is('sessions.summary_of_session_id', 'is', null)])) // the join only adds columns
    .where(({ fn, val }) => sql<SqlBool>`not ${fn.coalesce('categories.is_frozen', val(false))}`)
    .$if(category === 'uncategorized', (query) => query.where('sessions.category_id', 'is', null))
    .$if(Number(category) > 0, (query) => query.where('sessions.category_id', '=', Number(category)))
    .$if(favorited === true, (query) => query.where('sessions.favorited', '=', true))
    .orderBy('sessions.precedence', 'desc')
    .orderBy('sessions.created_at')
    .orderBy('sessions.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Archived sessions match only with `show_archived` or with the status filter `archived`. */
export function matchesFilters(
  is: ExpressionBuilder<Tables, 'sessions'>,
  { status, agent_runtime, priority_class, genesis, show_archived, visibility }: SessionFilters,
  classByGenesis: ClassByGenesis,
): Expression<SqlBool> {
  const conditions = [is('sessions.summary_of_session_id', 'is', null)]
  if (!show_archived && status !== 'archived') conditions.push(is('sessions.status', '!=', 'archived'))
  // Compared as text: an unknown status matches nothing.
  if (status) conditions.push(is(sql`sessions.status`, '=', status))
  if (agent_runtime) conditions.push(is('sessions.agent_runtime', '=', agent_runtime))
  if (genesis !== undefined) conditions.push(is('sessions.genesis', '=', genesis))
  if (priority_class !== undefined) conditions.push(resolvesTo(is, priority_class, classByGenesis))
  if (visibility !== undefined) conditions.push(visibility === 'on_board' ? onBoard(is) : is.not(onBoard(is)))
  return is.and(conditions)
}

function resolvesTo(is: ExpressionBuilder<Tables, 'sessions'>, wanted: PriorityClass, classByGenesis: ClassByGenesis) {
  const kinds = (Object.keys(classByGenesis) as Genesis[]).filter((kind) => classByGenesis[kind] === wanted) // `Object.keys` loses the record's key type
  return is.or([
    is('sessions.scheduling_class', '=', wanted),
    is.and([is('sessions.scheduling_class', 'is', null), is('sessions.genesis', 'in', kinds)]),
  ])
}

function onBoard(is: ExpressionBuilder<Tables, 'sessions'>) {
  return is.or([
    is('sessions.visibility', '=', 'visible'),
    is.and([is('sessions.visibility', '=', 'snoozed'), is('sessions.snoozed_until', '<=', sql<Date>`now()`)]),
  ])
}

function matchesRef(is: ExpressionBuilder<Tables, 'sessions'>, ref: SessionRef): Expression<SqlBool> {
  return 'id' in ref ? is('sessions.id', '=', ref.id) : is('sessions.slug', '=', ref.slug)
}

function sessionsWithCategory(db: Database | Transaction) {
  return db
    .selectFrom('sessions')
    .leftJoin('categories', 'categories.id', 'sessions.category_id')
    .selectAll('sessions')
    .select([
      'categories.name as category_name',
      'categories.position as category_position',
      'categories.is_frozen as category_is_frozen',
    ])
}
