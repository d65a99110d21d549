import type {
  GateDecision,
  GateDecisionFilters,
  GateDecisionSummary,
  GateFeedback,
  NewGateDecision,
  NewGateFeedback,
} from '@yardmaster/contract/gates/fields'
import { limits } from '@yardmaster/contract/limits'
import { type Page, paginate } from '@yardmaster/contract/paging'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import { transact } from '../../platform/db/transact.ts'
import { writeJson } from '../../platform/exact-json.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { selectSession } from '../sessions/session.ts'
import { gateDecisionsChanged } from './events.ts'
import {
  type FeedbackRow,
  insertDecision,
  insertFeedback,
  type SummaryRow,
  selectCorrections,
  selectDecision,
  selectDecisions,
  selectFeedback,
  selectFilterValues,
} from './gate-store.ts'
import { readEntry, searchedText, withoutFeedback } from './read-entry.ts'

/** The room's public interface. The ledger of what gates decided, and of what people think of it. Nothing in it changes. */
export async function listDecisions(app: App, filters: GateDecisionFilters, page: Page) {
  const [{ rows, totalCount }, filterValues] = await Promise.all([
    selectDecisions(app.db, filters, page),
    selectFilterValues(app.db),
  ])
  return {
    gate_decisions: rows.map(await presenterOf(app, rows)),
    pagination: paginate(page, totalCount),
    filter_values: filterValues,
  }
}

export async function showDecision(app: App, id: number): Promise<GateDecision> {
  const row = (await selectDecision(app.db, id)) ?? refuseMissing()
  const present = await presenterOf(app, [row])
  return { ...present(row), payload: row.payload }
}

type Recorder = { isTool: boolean; agentOf: number | undefined }

/** A session that is claimed and does not exist is left out: the claim cannot be checked anyway. */
export async function recordDecision(
  app: App,
  { gate, surface, entry, writing_session_id, acting_session_id }: NewGateDecision,
  { isTool, agentOf }: Recorder,
): Promise<GateDecision> {
  const kept = withoutFeedback(entry)
  const payload = writeJson(kept)
  if (Buffer.byteLength(payload) > limits.gateDecision.payloadBytes)
    refuse('invalid_gate_decision', `Entry is too large (maximum is ${limits.gateDecision.payloadBytes / 1024} KiB)`)
  const claimed = agentOf === undefined ? (writing_session_id ?? acting_session_id) : { id: agentOf }
  const writer = claimed && (await selectSession(app.db, claimed))
  const id = await transact(app.db, async (tx) => {
    const inserted = await insertDecision(
      tx,
      {
        gate,
        surface,
        ...readEntry(gate, kept),
        writing_session_id: writer?.id ?? null,
        recorded_via: isTool ? 'mcp' : 'api',
        payload,
        searched: searchedText(kept),
      },
      app.clock.now(),
    )
    await app.events.publish(tx, gateDecisionsChanged, { payload: {} })
    return inserted
  })
  return showDecision(app, id)
}

/** Only for what a person does in a browser. */
export async function addFeedback(app: App, id: number, feedback: NewGateFeedback): Promise<GateDecision> {
  await transact(app.db, async (tx) => {
    if (!(await selectDecision(tx, id))) refuseMissing()
    await insertFeedback(tx, { ...feedback, decision_id: id, channel: 'web_ui', received_at: app.clock.now() })
    await app.events.publish(tx, gateDecisionsChanged, { payload: {} })
  })
  return showDecision(app, id)
}

/** Feedback and corrections are read once for all the rows. */
async function presenterOf(app: App, rows: readonly SummaryRow[]): Promise<(row: SummaryRow) => GateDecisionSummary> {
  const ids = rows.map(({ id }) => id)
  const [feedback, corrections] = await Promise.all([feedbackOf(app, rows), selectCorrections(app.db, ids)])
  const correctedBy = new Map(corrections.map(({ id, corrected_by }) => [id, corrected_by]))
  return (row) => presentSummary(row, feedback.get(row.id), correctedBy.get(row.id))
}

/** Oldest first, by the decision. */
async function feedbackOf(app: App, rows: readonly { id: number }[]): Promise<Map<number, FeedbackRow[]>> {
  const byDecision = new Map(rows.map(({ id }) => [id, [] as FeedbackRow[]]))
  for (const given of await selectFeedback(app.db, [...byDecision.keys()]))
    byDecision.get(given.decision_id)?.push(given)
  return byDecision
}

function presentSummary(
  row: SummaryRow,
  feedback: readonly FeedbackRow[] = [],
  correctedBy: number | null = null,
): GateDecisionSummary {
  return {
    id: row.id,
    gate: row.gate,
    surface: row.surface,
    artifact_url: row.artifact_url,
    title: row.title,
    decided_at: row.decided_on,
    decision: row.decision,
    producing_session_url: row.producing_session_url,
    writing_session_id: row.writing_session_id,
    recorded_via: row.recorded_via,
    recorded_at: formatTimestamp(row.recorded_at),
    human_feedback: feedback.map(presentFeedback),
    corrected_by: correctedBy,
  }
}

function presentFeedback(row: FeedbackRow): GateFeedback {
  return {
    id: row.id,
    verdict: row.verdict,
    note: row.note,
    author: row.author,
    channel: row.channel,
    received_at: formatTimestamp(row.received_at),
    recorded_at: formatTimestamp(row.recorded_at),
  }
}
