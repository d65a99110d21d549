import { readMetadata, type SessionRow } from '../sessions/session.ts'
import type { UsageOwner } from './usage-store.ts'

/** Whose calls are recorded: those of a session's agent, in its conversation. */
export function ownerOf(
  session: Pick<SessionRow, 'id' | 'agent_runtime' | 'metadata'>,
  conversationId: string | null | undefined,
): UsageOwner {
  return {
    session_id: session.id,
    agent_root: readMetadata(session).agent_root_key ?? null,
    agent_runtime: session.agent_runtime,
    runtime_session_id: conversationId ?? null,
  }
}

/** Calls that the service made about a session. */
export function summaryOwnerOf(session: Parameters<typeof ownerOf>[0]): UsageOwner {
  return { ...ownerOf(session, null), source: 'status_summary' }
}

/** A request of one token that reads the quota of an account. It is about no session. */
export function probeOwnerOf(runtime: string): UsageOwner {
  return { session_id: null, agent_root: null, agent_runtime: runtime, runtime_session_id: null, source: 'quota_probe' }
}
