import type { ElicitationFilters, ElicitationStatus, LostReason } from '@yardmaster/contract/elicitations/fields'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import type { Page } from '@yardmaster/contract/paging'
import { type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { writeJson } from '../../platform/exact-json.ts'
import type { ElicitationRow } from './elicitation-table.ts'

type NewRow = Pick<
  ElicitationRow,
  'session_id' | 'request_id' | 'namespace' | 'asked_by' | 'run_marker' | 'message' | 'requested_schema' | 'meta'
> &
  Pick<ElicitationRow, 'tool_name' | 'context' | 'mcp_session_id'> & {
    /** The asker's wish, which the service's bounds limit. */
    expiresAt: Date | undefined
    windowMinutes: number
  }

/** Expires by the database's clock, which all hosts share. */
export function insertElicitation(
  tx: Transaction,
  { expiresAt, windowMinutes, requested_schema, meta, ...row }: NewRow,
): Promise<ElicitationRow> {
  const { min, max } = limits.elicitation.windowMinutes
  const wish = expiresAt ? sql`${expiresAt}::timestamptz` : inMinutes(windowMinutes)
  return tx
    .insertInto('elicitations')
    .values({
      ...row,
      requested_schema: requested_schema && writeJson(requested_schema),
      meta: writeJson(meta),
      expires_at: sql<Date>`least(greatest(${wish}, ${inMinutes(min)}), ${inMinutes(max)})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

function inMinutes(minutes: number) {
  return sql`now() + make_interval(mins => ${minutes}::int)`
}

/** With whether it should have expired. */
export type Found = ElicitationRow & { is_overdue: SqlBool }

const isOverdue = sql<SqlBool>`status = 'pending' and expires_at <= now()`

function select(db: Database | Transaction) {
  return db.selectFrom('elicitations').selectAll().select(isOverdue.as('is_overdue'))
}

export function selectByRequestId(db: Database | Transaction, requestId: string): Promise<Found | undefined> {
  return select(db).where('request_id', '=', requestId).executeTakeFirst()
}

export function selectById(db: Database | Transaction, id: number): Promise<Found | undefined> {
  return select(db).where('id', '=', id).executeTakeFirst()
}

export type Closing = {
  status: Exclude<ElicitationStatus, 'pending'>
  content?: JsonObject | null
  lostReason?: LostReason
  /** No one waits for the answer any more. */
  isWithdrawn?: true
}

/** Ends a question in the name of its asker. */
export const withdrawn: Closing = { status: 'cancel', isWithdrawn: true }

/** Undefined if it is no longer pending: of two who close it, one does. */
export function closeElicitation(
  tx: Transaction,
  id: number,
  { status, content = null, lostReason, isWithdrawn }: Closing,
): Promise<ElicitationRow | undefined> {
  return tx
    .updateTable('elicitations')
    .set({
      status,
      response_content: content && writeJson(content),
      lost_reason: lostReason ?? null,
      responded_at: sql<Date>`now()`,
      ...(isWithdrawn && { delivered_at: sql<Date>`now()` }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
}

export async function countPending(tx: Transaction, sessionId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('elicitations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return count
}

export function selectPending(tx: Transaction, sessionId: number): Promise<ElicitationRow[]> {
  return tx
    .selectFrom('elicitations')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .execute()
}

/** Questions of a run that no person answered, and answers of people that no process of it has fetched. */
export function selectUnsettled(tx: Transaction, marker: string): Promise<ElicitationRow[]> {
  return tx
    .selectFrom('elicitations')
    .selectAll()
    .where('run_marker', '=', marker)
    .where('status', '!=', 'expired')
    .where('delivered_at', 'is', null)
    .orderBy('id')
    .execute()
}

/** Records that the asker gets the answer now. False if it got it before. */
export async function recordDelivery(db: Database | Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('elicitations')
    .set({ delivered_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('delivered_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Records that the asker gets the answer now, and when. Undefined if it got it long ago: some clients poll on. A repetition counts as
 * the delivery, so that taking an earlier one back does not undo it.
 */
export async function recordHandOut(db: Database, id: number): Promise<string | undefined> {
  const row = await db
    .updateTable('elicitations')
    .set({ delivered_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where(sql<SqlBool>`coalesce(delivered_at > now() - interval '1 minute', true)`)
    .returning(sql<string>`delivered_at::text`.as('at'))
    .executeTakeFirst()
  return row?.at
}

/** The answer that was handed out then did not arrive. */
export async function takeBack(db: Database, id: number, at: string): Promise<void> {
  await db
    .updateTable('elicitations')
    .set({ delivered_at: null })
    .where('id', '=', id)
    .where('delivered_at', '=', sql<Date>`${at}::timestamptz`)
    .execute()
}

/** Records that the asker waits. Undefined if the session of the token has no such question that is pending and not overdue. */
export function recordPoll(
  db: Database,
  { digest, requestId }: { digest: Buffer; requestId: string },
): Promise<ElicitationRow | undefined> {
  return db
    .updateTable('elicitations')
    .from('elicitation_tokens')
    .set({ polled_at: sql<Date>`now()` })
    .where('request_id', '=', requestId)
    .where('digest', '=', digest)
    .whereRef('elicitations.session_id', '=', 'elicitation_tokens.session_id')
    .where('status', '=', 'pending')
    .where('expires_at', '>', sql<Date>`now()`)
    .returningAll('elicitations')
    .executeTakeFirst()
}

/** Whether a process of the run waits for a person, or did within the last seconds. */
export async function selectIsWaiting(db: Database, marker: string, withinSeconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('elicitations')
    .select('id')
    .where('run_marker', '=', marker)
    .where((is) =>
      is.or([
        is('status', '=', 'pending'),
        is('responded_at', '>', sql<Date>`now() - make_interval(secs => ${withinSeconds})`),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

export type Due = Pick<ElicitationRow, 'id' | 'session_id'>

export function selectOverdue(db: Database, limit: number): Promise<Due[]> {
  return selectDue(db, limit).where(isOverdue).execute()
}

/** Questions of MCP servers that stopped asking for the answer. */
export function selectSilent(db: Database, silentSeconds: number, limit: number): Promise<Due[]> {
  return selectDue(db, limit)
    .where('status', '=', 'pending')
    .where('asked_by', '=', 'mcp_server')
    .where('polled_at', '<', sql<Date>`now() - make_interval(secs => ${silentSeconds}::int)`)
    .execute()
}

function selectDue(db: Database, limit: number) {
  return db.selectFrom('elicitations').select(['id', 'session_id']).orderBy('id').limit(limit)
}

/** The pending ones of all sessions that are not overdue, oldest first. */
export async function selectWaiting(
  db: Database,
  limit: number,
): Promise<{ rows: ElicitationRow[]; totalCount: number }> {
  const waiting = db
    .selectFrom('elicitations')
    .where('status', '=', 'pending')
    .where('expires_at', '>', sql<Date>`now()`)
  const [rows, { total }] = await Promise.all([
    waiting.selectAll().orderBy('id').limit(limit).execute(),
    waiting.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, totalCount: total }
}

/** Newest first. An unknown filter value matches nothing. One that is overdue counts as expired, however far the sweep has come. */
export async function selectPage(
  db: Database,
  { session, status }: { session: SessionRef | undefined; status: ElicitationFilters['status'] },
  { page, perPage }: Page,
): Promise<{ rows: Found[]; totalCount: number }> {
  let query = db.selectFrom('elicitations')
  if (session && 'id' in session) query = query.where('session_id', '=', session.id)
  if (session && 'slug' in session)
    query = query.where('session_id', 'in', (is) =>
      is.selectFrom('sessions').select('sessions.id').where('slug', '=', session.slug),
    )
  if (status !== undefined)
    query = query.where(sql<string>`case when ${isOverdue} then 'expired' else status end`, '=', status)
  const { count } = await query.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  const rows = await query
    .selectAll()
    .select(isOverdue.as('is_overdue'))
    .orderBy('id', 'desc')
    .limit(perPage)
    .offset((page - 1) * perPage)
    .execute()
  return { rows, totalCount: count }
}
