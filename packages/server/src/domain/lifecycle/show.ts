import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { ShownSession } from '@yardmaster/contract/sessions/fields'
import type { App } from '../app.ts'
import { findCaptureGaps, findHierarchy, findHumanMessages } from '../hierarchy/hierarchy.ts'
import { classesByGenesis, findSession, presentSession } from '../sessions/session.ts'
import { readSettings } from '../settings/settings.ts'
import { showSummary } from '../summaries/summary.ts'
import { collectText, hasTranscript, transcriptLines } from '../transcripts/transcript.ts'

/** The keys beside `session` are always present. */
export async function showSession(
  app: App,
  ref: SessionRef,
  options: { withTranscript: boolean },
): Promise<ShownSession> {
  const [row, settings] = await Promise.all([findSession(app.db, ref), readSettings(app.db)])
  const known = { classByGenesis: classesByGenesis(settings), catalog: app.catalog.current() }
  const session = presentSession(row, { now: app.clock.now(), ...known })
  const hierarchy = await findHierarchy(app.db, session.id, known)
  const [{ messages, omitted }, summary] = await Promise.all([
    findHumanMessages(app.db, session.id, hierarchy.nodes),
    showSummary(app, session.id),
  ])
  return {
    session: options.withTranscript ? { ...session, transcript: await storedTranscript(app, session.id) } : session,
    status_summary: summary,
    session_hierarchy: hierarchy,
    human_messages: messages,
    human_message_capture_gaps: await findCaptureGaps(app.db, hierarchy.nodes, omitted),
  }
}

async function storedTranscript(app: App, sessionId: number): Promise<string | null> {
  return (await hasTranscript(app.db, sessionId)) ? collectText(transcriptLines(app.db, sessionId)) : null
}
