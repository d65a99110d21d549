import type { BacklogCounts, BacklogFilterValues, ItemFilters, ItemRef } from '@yardmaster/contract/backlog/fields'
import { itemStatuses } from '@yardmaster/contract/backlog/vocabulary'
import { mostFilterValues } from '@yardmaster/contract/filter-values'
import type { Page } from '@yardmaster/contract/paging'
import { type ExpressionBuilder, type Insertable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { RankedRow } from './item-table.ts'

/**
 * The place in the whole queue: one more than the items before it. The items whose sort key differs in a higher byte are
 * counted by the prefixes that they share, the rest one by one, at most 255 of each.
 */
const position = sql<number | null>`
  case when work_backlog_items.status = 'queued' then (
    select coalesce(sum(ranks.items), 0)
    from generate_series(8, 56, 8) as length
    join work_backlog_ranks as ranks
      on ranks.shift = length
      and ranks.prefix >= ((work_backlog_items.rank_key >> length) >> 8) << 8
      and ranks.prefix < work_backlog_items.rank_key >> length
  ) + (
    select count(*)
    from work_backlog_items as nearest
    where nearest.status = 'queued'
      and nearest.rank_key >= (work_backlog_items.rank_key >> 8) << 8
      and nearest.rank_key < work_backlog_items.rank_key
  ) + 1 end::int
`

const columns = [
  ...(['id', 'key', 'issue_url', 'repo', 'surface', 'title', 'kind', 'scope_direction', 'estimated_cost'] as const),
  ...(['gate_verdict', 'payload', 'added_at', 'added_by', 'added_via', 'precedence', 'pinned', 'status'] as const),
  ...(['writing_session_id', 'started_session_id', 'started_by_session_id', 'started_at'] as const),
  ...(['removed_at', 'removed_by', 'removal_reason', 'liveness', 'liveness_checked_at'] as const),
]

function items(db: Database | Transaction) {
  return db
    .selectFrom('work_backlog_items')
    .select(columns)
    .select([sql<string | null>`decided_at::text`.as('decided_at'), position.as('position')])
}

/** A key names the queued row, else the newest one that had it. */
export function selectItem(db: Database | Transaction, ref: ItemRef): Promise<RankedRow | undefined> {
  if ('id' in ref) return items(db).where('id', '=', ref.id).executeTakeFirst()
  return items(db)
    .where('key', '=', ref.key)
    .orderBy(sql`status = 'queued'`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export async function selectItemsById(db: Transaction, ids: readonly number[]): Promise<RankedRow[]> {
  return ids.length === 0 ? [] : items(db).where('id', 'in', ids).execute()
}

export async function selectQueued(db: Database | Transaction, keys: readonly string[]): Promise<RankedRow[]> {
  if (keys.length === 0) return []
  return items(db).where('status', '=', 'queued').where('key', 'in', keys).execute()
}

/** From the top of the queue. */
export function selectFirst(tx: Transaction, count: number): Promise<RankedRow[]> {
  return items(tx).where('status', '=', 'queued').orderBy('rank_key').limit(count).execute()
}

const sessionsOfView = { in_flight: ['running', 'waiting'], parked: ['needs_input'] } as const
type View = keyof typeof sessionsOfView

/** One page in rank order. Counted by the table of counts, unless the filter is about sessions or a key. */
export function selectItems(db: Database, filters: ItemFilters, page: Page): Promise<Paged<RankedRow>> {
  const { status, key } = filters
  const matching = items(db)
    .where((eb) => eb.and(sharedConditions(eb, filters)))
    .$if(key !== undefined, (query) => query.where('key', '=', key ?? ''))
    .$if(status === 'in_flight' || status === 'parked', (query) => query.where(isWorkedOn(status as View))) // as compared
    .orderBy('rank_key')
  const isCounted = key === undefined && status !== 'in_flight' && status !== 'parked'
  return selectPage(matching, page, isCounted ? () => countItems(db, filters) : undefined)
}

async function countItems(db: Database, filters: ItemFilters): Promise<number> {
  const { total } = await db
    .selectFrom('work_backlog_counts')
    .where((eb) => eb.and(sharedConditions(eb, filters)))
    .select(sql<number>`coalesce(sum(items), 0)::int`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Conditions on columns that the items and their counts share. */
function sharedConditions<Table extends 'work_backlog_items' | 'work_backlog_counts'>(
  eb: ExpressionBuilder<Tables, Table>,
  { status, key: _, ...filters }: Partial<ItemFilters>,
) {
  const stored = status === 'in_flight' || status === 'parked' ? 'started' : status
  const given = Object.entries({ ...filters, status: stored === 'all' ? undefined : stored })
  return given.flatMap(([column, value]) => (value === undefined ? [] : [eb(sql.ref<unknown>(column), '=', value)]))
}

function isWorkedOn(view: View) {
  return sql<SqlBool>`exists (
    select
    from sessions
    where sessions.id = work_backlog_items.started_session_id
      and sessions.status = any(${sessionsOfView[view]}::text[])
  )`
}

/** Sessions at work are few, so the items of those sessions are counted, not the sessions of all started items. */
export async function selectCounts(db: Database | Transaction): Promise<BacklogCounts> {
  const byStatus = itemStatuses.map((status) => sumWhere(sql`status = ${status}`).as(status))
  const views = Object.entries(sessionsOfView).map(([view, statuses]) =>
    sql<number>`(
      select count(*)
      from sessions
      join work_backlog_items on started_session_id = sessions.id
      where sessions.status = any(${statuses}::text[])
    )`.as(view),
  )
  return db
    .selectFrom('work_backlog_counts')
    .select([...byStatus, sumWhere(sql`status = 'queued' and pinned`).as('pinned'), ...views])
    .$castTo<BacklogCounts>()
    .executeTakeFirstOrThrow()
}

/** From the table of counts, which has a row for each kind of item and not for each item. Sessions at work are few. */
export async function selectFilterValues(db: Database, status: ItemFilters['status']): Promise<BacklogFilterValues> {
  const counted = db
    .selectFrom('work_backlog_counts')
    .where('items', '>', 0)
    .where((eb) => eb.and(sharedConditions(eb, { status })))
    .select(['repo', 'surface', 'kind'])
  const workedOn = (view: View) =>
    db
      .selectFrom('sessions')
      .innerJoin('work_backlog_items', 'started_session_id', 'sessions.id')
      .where('sessions.status', '=', sql<never>`any(${sessionsOfView[view]}::text[])`)
      .select(['repo', 'surface', 'kind'])
  const items = status === 'in_flight' || status === 'parked' ? workedOn(status) : counted
  const valuesOf = async (column: 'repo' | 'surface' | 'kind') => {
    const rows = await db
      .selectFrom(items.as('items'))
      .select(`items.${column} as value`)
      .distinct()
      .orderBy('value')
      .limit(mostFilterValues)
      .execute()
    return rows.map(({ value }) => value)
  }
  const [repos, surfaces, kinds] = await Promise.all([valuesOf('repo'), valuesOf('surface'), valuesOf('kind')])
  return { repos, surfaces, kinds }
}

function sumWhere(condition: ReturnType<typeof sql>) {
  return sql<number>`coalesce(sum(items) filter (where ${condition}), 0)::int`
}

type NewRow = Omit<Insertable<Tables['work_backlog_items']>, 'added_at' | 'liveness_check_at'>

/** Never earlier than the item before it, so that ids and times are in one order. The caller holds the lock. */
export async function insertItem(tx: Transaction, row: NewRow): Promise<number> {
  const { id } = await tx
    .insertInto('work_backlog_items')
    .values({
      ...row,
      added_at: sql<Date>`greatest(clock_timestamp(), (select added_at from work_backlog_items order by id desc limit 1))`,
      ...(row.issue_url !== null && { liveness_check_at: sql<Date>`now()` }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

type Changes = Pick<
  Updateable<Tables['work_backlog_items']>,
  'precedence' | 'pinned' | 'status' | 'started_session_id' | 'started_by_session_id' | 'removed_by' | 'removal_reason'
>

export async function updateItem(tx: Transaction, id: number, changes: Changes): Promise<void> {
  await tx
    .updateTable('work_backlog_items')
    .set({
      ...changes,
      ...(changes.status === 'started' && { started_at: sql<Date>`now()` }),
      ...(changes.status === 'removed' && { removed_at: sql<Date>`now()` }),
    })
    .where('id', '=', id)
    .execute()
}
