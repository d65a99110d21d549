import { mostFilterValues } from '@yardmaster/contract/filter-values'
import type { Gate, GateDecisionFilters, GateFilterValues } from '@yardmaster/contract/gates/fields'
import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type SelectQueryBuilder, sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    gate_decisions: SummaryRow & { listed_on: string; payload: unknown; searched: string }
    gate_feedbacks: Omit<FeedbackRow, 'id' | 'recorded_at'> & { id: Generated<number>; recorded_at: Generated<Date> }
  }
}

type Recorded = {
  gate: Gate
  surface: string
  decision: string | null
  artifact_url: string | null
  producing_session_url: string | null
  title: string | null
  /** A day, as `2026-08-22`. */
  decided_on: string | null
  writing_session_id: number | null
  recorded_via: 'import' | 'mcp' | 'api'
}

export type SummaryRow = Recorded & { id: number; recorded_at: Date }
export type DecisionRow = SummaryRow & { payload: Record<string, unknown> }

export type FeedbackRow = {
  id: number
  decision_id: number
  verdict: string
  note: string | null
  author: string | null
  channel: 'web_ui' | 'imported'
  received_at: Date
  recorded_at: Date
}

export type NewDecision = Recorded & { payload: string; searched: string }

const summaryColumns = [
  ...(['id', 'gate', 'surface', 'decision', 'artifact_url', 'producing_session_url', 'title'] as const),
  ...(['writing_session_id', 'recorded_via', 'recorded_at'] as const),
  // As it is written: the driver would make a moment of it, in the zone of this process.
  sql<string | null>`decided_on::text`.as('decided_on'),
] as const

/** The lock keeps the ids without gaps. */
export async function insertDecision(tx: Transaction, { payload, ...values }: NewDecision, at: Date): Promise<number> {
  await takeLock(tx, 'gateDecisions')
  const { id } = await tx
    .insertInto('gate_decisions')
    .values(({ selectFrom, fn, lit }) => ({
      ...values,
      id: selectFrom('gate_decisions').select(sql<number>`${fn.coalesce(fn.max('id'), lit(0))} + 1`.as('next')),
      payload: sql`${payload}::jsonb`,
      recorded_at: at,
      listed_on: values.decided_on ?? at.toISOString().slice(0, 10),
    }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function insertFeedback(
  tx: Transaction,
  feedback: Omit<FeedbackRow, 'id' | 'recorded_at'>,
): Promise<void> {
  await tx.insertInto('gate_feedbacks').values(feedback).execute()
}

export async function selectDecision(db: Database | Transaction, id: number): Promise<DecisionRow | undefined> {
  const row = await db
    .selectFrom('gate_decisions')
    .select([...summaryColumns, 'payload'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...row, payload: row.payload as DecisionRow['payload'] } // only objects are recorded
}

export function selectFeedback(db: Database | Transaction, decisionIds: readonly number[]): Promise<FeedbackRow[]> {
  return db
    .selectFrom('gate_feedbacks')
    .selectAll()
    .where('decision_id', '=', sql<number>`any(${decisionIds}::bigint[])`)
    .orderBy('id')
    .execute()
}

/** For each decision that was corrected, the latest record of its gate about its artifact. */
export async function selectCorrections(
  db: Database | Transaction,
  decisionIds: readonly number[],
): Promise<{ id: number; corrected_by: number }[]> {
  // One look into the index for each decision, however often its artifact was decided about.
  const { rows } = await sql<{ id: number; corrected_by: number }>`
    select decided.id, later.id as corrected_by
    from gate_decisions as decided
    cross join lateral (
      select id
      from gate_decisions
      where artifact_url = decided.artifact_url
        and gate = decided.gate
        and id > decided.id
      order by id desc
      limit 1
    ) as later
    where decided.id = any(${decisionIds}::bigint[])
  `.execute(db)
  return rows
}

/** The latest first. */
export async function selectDecisions(
  db: Database,
  filters: GateDecisionFilters,
  { page, perPage }: Page,
): Promise<{ rows: SummaryRow[]; totalCount: number }> {
  const matching = narrowed(db.selectFrom('gate_decisions'), filters)
  const isWhole = Object.values(filters).every((value) => !value)
  const [rows, { total }] = await Promise.all([
    matching
      .select(summaryColumns)
      .orderBy('listed_on', 'desc')
      .orderBy('id', 'desc')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute(),
    isWhole
      ? db
          .selectFrom('gate_decisions')
          .select(({ fn, lit }) => fn.coalesce(fn.max<number>('id'), lit(0)).as('total'))
          .executeTakeFirstOrThrow()
      : matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, totalCount: total }
}

export async function selectFilterValues(db: Database): Promise<GateFilterValues> {
  const [decisions, surfaces] = await Promise.all([selectDistinct(db, 'decision'), selectDistinct(db, 'surface')])
  return { decisions, surfaces }
}

/** Goes from each value to the next by the index of the column: `distinct` would read the whole ledger for a few values. */
async function selectDistinct(db: Database, column: 'decision' | 'surface'): Promise<string[]> {
  const value = sql.ref(column)
  const { rows } = await sql<{ value: string }>`
    with recursive found as (
      (select ${value} as value from gate_decisions where ${value} is not null order by ${value} limit 1)
      union all
      select (select ${value} from gate_decisions where ${value} > found.value order by ${value} limit 1)
      from found
      where found.value is not null
    )
    select value
    from found
    where value is not null
    limit ${mostFilterValues}
  `.execute(db)
  return rows.map(({ value }) => value)
}

type Decisions = SelectQueryBuilder<Tables, 'gate_decisions', object>

function narrowed(query: Decisions, filters: GateDecisionFilters): Decisions {
  const { gate, surface, decision, artifact_url, artifact_query, query: words, with_human_feedback, from, to } = filters
  if (gate !== undefined) query = query.where('gate', '=', gate)
  if (surface !== undefined) query = query.where('surface', '=', surface)
  if (decision !== undefined) query = query.where('decision', '=', decision)
  if (artifact_url !== undefined) query = query.where('artifact_url', '=', artifact_url)
  if (artifact_query !== undefined) query = query.where(sql`lower(artifact_url)`, 'like', containing(artifact_query))
  if (words !== undefined) query = query.where('searched', 'like', containing(words))
  if (from !== undefined) query = query.where('listed_on', '>=', from)
  if (to !== undefined) query = query.where('listed_on', '<=', to)
  if (!with_human_feedback) return query
  return query.where(({ exists, selectFrom }) =>
    exists(selectFrom('gate_feedbacks').select('gate_feedbacks.id').whereRef('decision_id', '=', 'gate_decisions.id')),
  )
}

/** A pattern in which the text means itself. */
function containing(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
}
