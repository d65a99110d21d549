import { SessionRef } from '@yardmaster/contract/identifiers'
import { limits } from '@yardmaster/contract/limits'
import type { NewAnalysis, OutcomeAnalysis, OutcomeFilters, OutcomeSummary } from '@yardmaster/contract/outcomes/fields'
import type { Page } from '@yardmaster/contract/paging'
import { asWritten } from '@yardmaster/contract/sent'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { findSession, lockSessionIfThere, readMetadata, type SessionRow, selectSession } from '../sessions/session.ts'
import { isAnalyzerOfItem } from './batch-store.ts'
import { outcomeAnalysesChanged } from './events.ts'
import {
  type AnalysisRow,
  hasAnalyzed,
  insertAnalysis,
  type SummaryRow,
  selectAnalyses,
  selectAnalysis,
  supersedeAnalysis,
} from './outcome-store.ts'
import { readTree } from './read-tree.ts'

declare module '../app.ts' {
  interface App {
    /** The root of the catalog that analyzer sessions are created from. */
    outcomes: { agentRoot: string }
  }
}

/** The room's public interface. How archived sessions went, as trees of segments with goals and outcomes. */
export async function listAnalyses(app: App, filters: OutcomeFilters, page: Page) {
  const { rows, totalCount } = await selectAnalyses(app.db, filters, page)
  return { items: rows.map(presentSummary), totalCount }
}

export async function showAnalysis(app: App, ref: SessionRef): Promise<OutcomeAnalysis> {
  const { id } = await findSession(app.db, ref)
  return present((await selectAnalysis(app.db, id)) ?? refuseMissing())
}

const schemaVersion = '1'

/** The lock on the session makes one of two concurrent saves supersede the other. */
export async function saveAnalysis(app: App, given: NewAnalysis, { agentOf }: { agentOf: number | undefined }) {
  const claimed = agentOf === undefined ? (given.analyzer_session_id ?? given.acting_session_id) : { id: agentOf }
  const analyzer = claimed && (await selectSession(app.db, claimed))
  return transact(app.db, (tx) => saveIn(app, tx, given, analyzer?.id ?? null))
}

type GivenAnalysis = Pick<NewAnalysis, 'session_id' | 'root' | 'notes'> & Partial<Pick<NewAnalysis, 'schema_version'>>

/** Looks for the session first, then for problems of the tree. Writes only after all checks. */
export async function saveIn(app: App, tx: Transaction, given: GivenAnalysis, analyzerId: number | null) {
  const ref = refOf(given.session_id)
  const session = ref && (await lockSessionIfThere(tx, ref))
  if (!session)
    return refuse('not_found', `No session matches session_id ${asWritten(given.session_id).slice(0, 300) || '(none)'}`)
  await refuseUnanalyzable(tx, session)
  const problems = problemsBesideTree(given)
  const tree = readTree(given.root)
  if ('problems' in tree) return refuse('invalid_segment_tree', [...problems, ...tree.problems])
  if (problems.length > 0) refuse('invalid_segment_tree', problems)
  const at = app.clock.now()
  const superseded_previous = await supersedeAnalysis(tx, session.id, at)
  const row = await insertAnalysis(
    tx,
    {
      session_id: session.id,
      analyzer_session_id: analyzerId,
      schema_version: schemaVersion,
      notes: notesOf(given.notes),
      agent_root: readMetadata(session).agent_root_key ?? null,
      agent_runtime: session.agent_runtime,
      model: typeof session.config.model === 'string' ? session.config.model : null,
      session_created_at: session.created_at,
      root_outcome: tree.root.outcome.kind,
      ...tree.figures,
      analyzed_at: at,
    },
    tree.root,
  )
  await app.events.publish(tx, outcomeAnalysesChanged, { payload: {} })
  return { outcome_analysis: present(row), superseded_previous, warnings: tree.warnings }
}

export async function refuseUnanalyzable(
  db: Database,
  { id, status }: Pick<SessionRow, 'id' | 'status'>,
): Promise<void> {
  if (status !== 'archived')
    refuse('unanalyzable_session', `Only an archived session can be analysed; this one is ${status}`)
  if ((await hasAnalyzed(db, id)) || (await isAnalyzerOfItem(db, id)))
    refuse('unanalyzable_session', 'The session analysed another one and cannot be analysed itself')
}

function refOf(given: unknown): SessionRef | undefined {
  const isNamed = typeof given === 'string' || (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0)
  return isNamed ? SessionRef.safeParse(String(given)).data : undefined
}

function problemsBesideTree({ schema_version, notes }: GivenAnalysis): string[] {
  const version = schema_version ?? ''
  return [
    version === '' || version === schemaVersion ? [] : [`schema_version must be "${schemaVersion}"`],
    notes === undefined || notes === null || typeof notes === 'string' ? [] : ['notes must be a string'],
  ].flat()
}

function notesOf(given: unknown): string | null {
  return typeof given === 'string' && given.trim() !== '' ? truncate(given.trim(), limits.outcomeNotes, '') : null
}

function present({ root, ...row }: AnalysisRow): OutcomeAnalysis {
  return { ...presentSummary(row), root }
}

function presentSummary(row: SummaryRow): OutcomeSummary {
  return {
    ...row,
    session_created_at: formatTimestamp(row.session_created_at),
    analyzed_at: formatTimestamp(row.analyzed_at),
    superseded_at: row.superseded_at && formatTimestamp(row.superseded_at),
  }
}
