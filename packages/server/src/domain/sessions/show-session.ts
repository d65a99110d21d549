import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { Session, SessionHierarchy, ShownSession } from '@yardmaster/contract/session'
import type { App } from '../app.ts'
import { collect, hasTranscript, transcriptLines } from '../transcripts/transcript.ts'
import { showRow } from './session.ts'

/** Reading writes nothing. The keys beside the session are always there. */
export async function showSession(
  app: App,
  ref: SessionRef,
  options: { withTranscript: boolean },
): Promise<ShownSession> {
  const session = await showRow(app, app.db, ref)
  return {
    session: options.withTranscript ? { ...session, transcript: await storedTranscript(app, session.id) } : session,
    status_summary: null,
    session_hierarchy: loneHierarchy(session),
    human_messages: [],
    human_message_capture_gaps: [],
  }
}

async function storedTranscript(app: App, sessionId: number): Promise<string | null> {
  return (await hasTranscript(app.db, sessionId)) ? collect(transcriptLines(app.db, sessionId)) : null
}

/** No session has a parent or an uncle yet, so each is a tree of its own. */
function loneHierarchy(session: Session): SessionHierarchy {
  return {
    origin_session_id: session.id,
    root_session_ids: [session.id],
    truncated: false,
    truncation_reason: null,
    nodes: [
      {
        id: session.id,
        title: session.title ?? `Session #${session.id}`,
        agent_root: null,
        status: session.status,
        depth: 0,
        parent_session_id: null,
        render_parent_session_id: null,
        spawn_edge: true,
        uncle_session_ids: [],
        current: true,
        genesis: session.genesis,
        priority_class: session.priority_class,
      },
    ],
  }
}
