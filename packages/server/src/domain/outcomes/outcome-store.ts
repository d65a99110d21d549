import type { OutcomeFilters, Segment } from '@yardmaster/contract/outcomes/fields'
import type { Page } from '@yardmaster/contract/paging'
import { type Generated, type SelectQueryBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Tables } from '../../platform/db/tables.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    outcome_analyses: Omit<SummaryRow, 'id' | 'superseded_at' | 'session_title'> & {
      id: Generated<number>
      superseded_at: Generated<Date | null>
      root: unknown
    }
    outcome_counts: { is_only: boolean; current: number }
  }
}

export type NewAnalysisRow = {
  session_id: number
  analyzer_session_id: number | null
  schema_version: string
  notes: string | null
  agent_root: string | null
  agent_runtime: string
  model: string | null
  session_created_at: Date
  root_outcome: Segment['outcome']['kind']
  segment_count: number
  failure_segment_count: number
  success_segment_count: number
  max_depth: number
  analyzed_at: Date
}

export type SummaryRow = NewAnalysisRow & { id: number; superseded_at: Date | null; session_title: string | null }
export type AnalysisRow = SummaryRow & { root: Segment }

const summaryColumns = [
  ...(['id', 'session_id', 'analyzer_session_id', 'schema_version', 'notes', 'agent_root', 'agent_runtime'] as const),
  ...(['model', 'session_created_at', 'root_outcome', 'segment_count', 'failure_segment_count'] as const),
  ...(['success_segment_count', 'max_depth', 'analyzed_at', 'superseded_at'] as const),
  // As it is now: a person renames a session after it was analysed.
  sql<string | null>`(select title from sessions where sessions.id = outcome_analyses.session_id)`.as('session_title'),
] as const

/** Whether there was a current analysis. */
export async function supersedeAnalysis(tx: Transaction, sessionId: number, at: Date): Promise<boolean> {
  const result = await tx
    .updateTable('outcome_analyses')
    .set({ superseded_at: at })
    .where('session_id', '=', sessionId)
    .where('superseded_at', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function insertAnalysis(tx: Transaction, row: NewAnalysisRow, root: Segment): Promise<AnalysisRow> {
  const inserted = await tx
    .insertInto('outcome_analyses')
    .values({ ...row, root: JSON.stringify(root) })
    .returning(summaryColumns)
    .executeTakeFirstOrThrow()
  return { ...inserted, root }
}

export async function selectAnalysis(db: Database, sessionId: number): Promise<AnalysisRow | undefined> {
  const row = await db
    .selectFrom('outcome_analyses')
    .select([...summaryColumns, 'root'])
    .where('session_id', '=', sessionId)
    .where('superseded_at', 'is', null)
    .executeTakeFirst()
  return row && { ...row, root: row.root as Segment } // only checked trees are stored
}

export async function hasAnalyzed(db: Database, sessionId: number): Promise<boolean> {
  const row = await db
    .selectFrom('outcome_analyses')
    .select('id')
    .where('analyzer_session_id', '=', sessionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Current ones, newest first. */
export async function selectAnalyses(
  db: Database,
  filters: OutcomeFilters,
  { page, perPage }: Page,
): Promise<{ rows: SummaryRow[]; totalCount: number }> {
  const matching = narrowed(db.selectFrom('outcome_analyses').where('superseded_at', 'is', null), filters)
  const isWhole = Object.values(filters).every((value) => value === undefined)
  const [rows, { total }] = await Promise.all([
    matching
      .select(summaryColumns)
      .orderBy('analyzed_at', 'desc')
      .orderBy('id', 'desc')
      .limit(perPage)
      .offset((page - 1) * perPage)
      .execute(),
    isWhole
      ? db.selectFrom('outcome_counts').select('current as total').executeTakeFirstOrThrow()
      : matching.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ])
  return { rows, totalCount: total }
}

type Analyses = SelectQueryBuilder<Tables, 'outcome_analyses', object>

function narrowed(query: Analyses, { from, to, agent_root, agent_runtime, model, outcome }: OutcomeFilters): Analyses {
  if (from !== undefined)
    query = query.where('session_created_at', '>=', sql<Date>`${from}::timestamp at time zone 'UTC'`)
  if (to !== undefined)
    query = query.where('session_created_at', '<', sql<Date>`(${to}::timestamp + interval '1 day') at time zone 'UTC'`)
  if (agent_root !== undefined) query = query.where('agent_root', '=', agent_root)
  if (agent_runtime !== undefined) query = query.where('agent_runtime', '=', agent_runtime)
  if (model !== undefined) query = query.where('model', '=', model)
  return outcome === undefined ? query : query.where('root_outcome', '=', outcome)
}
