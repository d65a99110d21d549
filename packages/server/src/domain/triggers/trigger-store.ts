import type { JsonObject } from '@yardmaster/contract/json'
import type { Page } from '@yardmaster/contract/paging'
import type { SessionStatus } from '@yardmaster/contract/sessions/fields'
import { type ConditionType, readConditionType } from '@yardmaster/contract/triggers/conditions'
import type { TriggerFilters } from '@yardmaster/contract/triggers/fields'
import { type Insertable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { daysAgo } from '../../platform/db/days-ago.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'
import { hasMetadata, metadataText } from '../sessions/session.ts'
import { noteTriggerChange } from './trigger-change-store.ts'
import type { ConditionRow, TriggerRow } from './trigger-table.ts'

export function selectTrigger(db: Database | Transaction, id: number): Promise<TriggerRow | undefined> {
  return db.selectFrom('triggers').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The trigger's row lock, which serialises its fires and changes. */
export function lockTrigger(tx: Transaction, id: number): Promise<TriggerRow | undefined> {
  return tx.selectFrom('triggers').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** As `lockTrigger`. Undefined also if another transaction holds the lock. */
export function lockTriggerIfFree(tx: Transaction, id: number): Promise<TriggerRow | undefined> {
  return tx.selectFrom('triggers').selectAll().where('id', '=', id).forNoKeyUpdate().skipLocked().executeTakeFirst()
}

/** The time by the database's clock, which all hosts share. Read after a lock was taken, unlike `now()`. */
export async function selectNow(db: Database | Transaction): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('clock_timestamp() returned no row')
  return row.now
}

export async function insertTrigger(tx: Transaction, values: Insertable<Tables['triggers']>): Promise<number> {
  const { id } = await tx.insertInto('triggers').values(values).returning('id').executeTakeFirstOrThrow()
  noteTriggerChange(tx, id)
  return id
}

export async function updateTrigger(
  tx: Transaction,
  id: number,
  changes: Updateable<Tables['triggers']>,
): Promise<TriggerRow> {
  noteTriggerChange(tx, id)
  return tx
    .updateTable('triggers')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteTriggers(tx: Transaction, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  const deleted = await tx.deleteFrom('triggers').where('id', 'in', ids).returning('id').execute()
  for (const { id } of deleted) noteTriggerChange(tx, id)
  return deleted.length
}

/** The roots that the caller is limited to; undefined for all. */
export type WithinRoots = { roots?: readonly string[] | undefined }

const needsAttention = sql`(
  status = 'failed' or missed_fire_count > 0 or coalesce(burst_ends_at > clock_timestamp(), false)
)`

/** Newest first. An unknown filter value matches nothing. */
export function selectTriggers(
  db: Database,
  {
    status,
    condition_type: typeName,
    needs_attention: isTroubled,
    wakes_session_id: sleeper,
    roots,
  }: TriggerFilters & WithinRoots,
  page: Page,
): Promise<Paged<TriggerRow>> {
  const type = typeName ? (readConditionType(typeName) ?? typeName) : undefined
  const matching = db
    .selectFrom('triggers')
    .$if(Boolean(status), (query) => query.where(sql`status`, '=', status))
    .$if(isTroubled !== undefined, (query) => query.where(sql<SqlBool>`${needsAttention} = ${isTroubled}`))
    .$if(roots !== undefined, (query) => query.where(sql<SqlBool>`agent_root_name = any(${roots}::text[])`))
    .$if(Boolean(sleeper), (query) =>
      query.where(
        sql<SqlBool>`exists (
          select from armed_wakes
          join trigger_conditions on trigger_conditions.id = armed_wakes.id
          where trigger_conditions.trigger_id = triggers.id
            and armed_wakes.session_id::text = ${sleeper}
        )`,
      ),
    )
    .$if(type !== undefined, (query) =>
      query.where(
        sql<SqlBool>`exists (
          select from trigger_conditions
          where trigger_conditions.trigger_id = triggers.id
            and trigger_conditions.condition_type = ${type}
        )`,
      ),
    )
  return selectPage(matching.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'), page)
}

export function selectConditionsOf(db: Database | Transaction, triggerIds: readonly number[]): Promise<ConditionRow[]> {
  if (triggerIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('trigger_conditions')
    .selectAll()
    .where('trigger_id', 'in', triggerIds)
    .orderBy('trigger_id')
    .orderBy('id')
    .execute()
}

/** The trigger's conditions, and the time by the database's clock. In one statement: every fire reads both under the lock. */
export async function selectConditionsAndNow(
  tx: Transaction,
  triggerId: number,
): Promise<{ conditions: ConditionRow[]; now: Date }> {
  const rows = await tx
    .selectFrom('trigger_conditions')
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('trigger_id', '=', triggerId)
    .orderBy('id')
    .execute()
  const now = rows[0]?.now ?? (await selectNow(tx))
  return { conditions: rows.map(({ now: _, ...condition }) => condition), now }
}

/** The conditions of these types on enabled triggers. */
export function selectConditionsByType(
  db: Database | Transaction,
  types: readonly ConditionType[],
): Promise<ConditionRow[]> {
  return db
    .selectFrom('trigger_conditions')
    .innerJoin('triggers', 'triggers.id', 'trigger_conditions.trigger_id')
    .selectAll('trigger_conditions')
    .where('triggers.status', '=', 'enabled')
    .where('trigger_conditions.condition_type', 'in', types)
    .orderBy('trigger_conditions.id')
    .execute()
}

export type ConditionValues = { condition_type: ConditionType; configuration: JsonObject; is_one_shot: boolean }

export async function insertCondition(tx: Transaction, triggerId: number, values: ConditionValues): Promise<number> {
  const { id } = await tx
    .insertInto('trigger_conditions')
    .values({ ...values, trigger_id: triggerId, configuration: JSON.stringify(values.configuration) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** A condition that says something else has not fired yet. */
export async function updateCondition(tx: Transaction, id: number, values: ConditionValues): Promise<void> {
  await tx
    .updateTable('trigger_conditions')
    .set({ ...values, configuration: JSON.stringify(values.configuration), last_triggered_at: null })
    .where('id', '=', id)
    .execute()
}

export async function deleteConditions(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('trigger_conditions').where('id', 'in', ids).execute()
}

/** Sets when a condition counts from and when it is due. */
export async function updateTiming(
  tx: Transaction,
  id: number,
  timing: Partial<Pick<ConditionRow, 'armed_at' | 'next_run_at' | 'last_triggered_at'>>,
): Promise<void> {
  await tx.updateTable('trigger_conditions').set(timing).where('id', '=', id).execute()
}

export async function disarmConditions(tx: Transaction, triggerId: number): Promise<void> {
  await tx.updateTable('trigger_conditions').set({ next_run_at: null }).where('trigger_id', '=', triggerId).execute()
}

export async function recordPolled(tx: Transaction, conditionIds: readonly number[]): Promise<void> {
  if (conditionIds.length === 0) return
  await tx
    .updateTable('trigger_conditions')
    .set({ last_polled_at: sql<Date>`now()` })
    .where('id', 'in', conditionIds)
    .execute()
}

export type SpawnedSession = {
  id: number
  slug: string | null
  title: string | null
  status: SessionStatus
  created_at: Date
}

/** The condition on `sessions` that the trigger spawned it. */
export const spawnedBy = (id: number) =>
  sql<SqlBool>`${metadataText('trigger_id')} = ${String(id)} and ${hasMetadata('trigger_id')}`

/** The newest sessions that the trigger spawned. */
export function selectSpawned(db: Database, triggerId: number, limit: number): Promise<SpawnedSession[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'slug', 'title', 'status', 'created_at'])
    .where(spawnedBy(triggerId))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export async function selectWaitingSessions(tx: Transaction, triggerId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('sessions')
    .select('id')
    .where(spawnedBy(triggerId))
    .where('status', '=', 'waiting')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export type Target = { id: number; status: SessionStatus; is_paused: boolean }

/** The sessions that triggers follow up, with what decides whether they can. */
export async function selectTargets(
  db: Database | Transaction,
  ids: readonly (number | null)[],
): Promise<Map<number, Target>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  if (wanted.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'status', sql<boolean>`coalesce(${metadataText('paused_by')} = 'user', false)`.as('is_paused')])
    .where('id', 'in', wanted)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** Other wakes of the session: enabled or disabled triggers that only have one-time conditions. Failed ones stay. */
export async function selectSiblingWakes(tx: Transaction, sessionId: number, exceptId: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('triggers')
    .select('id')
    .where('last_session_id', '=', sessionId)
    .where('reuse_session', '=', true)
    .where('id', '!=', exceptId)
    .where('status', '!=', 'failed')
    .where(isOneTime)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

const isOneTime = sql<SqlBool>`
  exists (select from trigger_conditions where trigger_conditions.trigger_id = triggers.id)
  and not exists (
    select from trigger_conditions
    where trigger_conditions.trigger_id = triggers.id
      and not trigger_conditions.is_one_shot
  )
`

/** A spent wake stays readable for a day: its history says why it did not wake its session. */
export async function deleteSpentTriggers(db: Database, { days, limit }: Slice): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('triggers')
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('triggers')
        .select('id')
        .where(isOneTime)
        .where('status', '=', 'enabled')
        .where(
          sql<SqlBool>`not exists (
            select from trigger_conditions
            where trigger_conditions.trigger_id = triggers.id
              and (last_triggered_at is null or last_triggered_at > ${daysAgo(days)})
          )`,
        )
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
