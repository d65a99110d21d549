import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Page } from '@yardmaster/contract/paging'
import type {
  NewSubagentTranscript,
  SubagentFilters,
  SubagentTranscriptChanges,
} from '@yardmaster/contract/subagents/fields'
import type { Transaction } from '../../platform/db/database.ts'
import type { Paged } from '../../platform/db/select-page.ts'
import { transact } from '../../platform/db/transact.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findSession, lockSession } from '../sessions/session.ts'
import { collectLines } from '../transcripts/transcript.ts'
import { redactTexts } from './redact-texts.ts'
import {
  deleteSubagent,
  insertSubagent,
  type Subagent,
  type SubagentChanges,
  selectSubagent,
  selectSubagentForUpdate,
  selectSubagentPage,
  selectText,
  updateSubagent,
} from './subagent-store.ts'
import { redactTranscript, writeText } from './write-text.ts'

export async function listSubagents(
  app: App,
  ref: SessionRef,
  filters: SubagentFilters,
  page: Page,
): Promise<Paged<Subagent>> {
  const { id } = await findSession(app.db, ref)
  return selectSubagentPage(app.db, id, filters, page)
}

export async function showSubagent(app: App, ref: SessionRef, id: number): Promise<Subagent> {
  const session = await findSession(app.db, ref)
  return (await selectSubagent(app.db, session.id, id)) ?? refuseMissing()
}

/** The entries of the subagent's thread if the service records it, otherwise the text that callers sent, or null. */
export async function readSubagent(
  app: App,
  { id, session_id: sessionId, thread, text_length }: Subagent,
): Promise<string | null> {
  if (thread !== null) return collectLines(app.db, { sessionId, thread })
  return text_length === null ? null : selectText(app.db, id)
}

export async function createSubagent(
  app: App,
  ref: SessionRef,
  { transcript, ...request }: NewSubagentTranscript,
): Promise<Subagent> {
  const { agent_id: agentId = '', ...sent } = await sentFields(app, request)
  const text = await redactTranscript(app.redactor, transcript)
  return refusingDuplicateAgents(app, async (tx) => {
    const session = await lockSession(tx, ref)
    const subagent = await insertSubagent(tx, {
      ...emptyFields,
      ...sent,
      session_id: session.id,
      agent_id: agentId,
    })
    return text === undefined ? subagent : updateSubagent(tx, subagent.id, await writeText(tx, subagent, text))
  })
}

export async function changeSubagent(
  app: App,
  ref: SessionRef,
  id: number,
  { transcript, ...changes }: SubagentTranscriptChanges,
): Promise<Subagent> {
  const sent = await sentFields(app, changes)
  const text = await redactTranscript(app.redactor, transcript)
  const session = await findSession(app.db, ref)
  return refusingDuplicateAgents(app, async (tx) => {
    const subagent = (await selectSubagentForUpdate(tx, session.id, id)) ?? refuseMissing()
    if (text !== undefined && subagent.thread !== null)
      refuse('transcript_read_only', "The transcript is read from the agent's own file and cannot be replaced")
    const written = text === undefined ? {} : await writeText(tx, subagent, text)
    const all = { ...sent, ...written }
    return Object.keys(all).length === 0 ? subagent : updateSubagent(tx, subagent.id, all)
  })
}

export async function removeSubagent(app: App, ref: SessionRef, id: number): Promise<void> {
  const session = await findSession(app.db, ref)
  await transact(app.db, async (tx) => {
    const subagent = (await selectSubagentForUpdate(tx, session.id, id)) ?? refuseMissing()
    await deleteSubagent(tx, subagent.id)
  })
}

const emptyFields = {
  thread: null,
  tool_use_id: null,
  filename: null,
  subagent_type: null,
  description: null,
  duration_ms: null,
  total_tokens: null,
  tool_use_count: null,
  text_length: null,
  text_sha256: null,
}

/** The sent fields, texts redacted. Keeps null, which clears a field, and drops undefined. */
async function sentFields(
  app: App,
  {
    agent_id,
    tool_use_id,
    filename,
    subagent_type,
    description,
    ...others
  }: Omit<SubagentTranscriptChanges, 'transcript'>,
): Promise<SubagentChanges> {
  const texts = await redactTexts(app, { agent_id, tool_use_id, filename, subagent_type, description })
  return Object.fromEntries(Object.entries({ ...others, ...texts }).filter(([, value]) => value !== undefined))
}

async function refusingDuplicateAgents(app: App, work: (tx: Transaction) => Promise<Subagent>): Promise<Subagent> {
  try {
    return await transact(app.db, work)
  } catch (error) {
    if (violatedConstraint(error) !== 'subagent_transcripts_agent_key') throw error
    return refuse('validation_failed', 'Agent has already been taken')
  }
}
