import type { Browser } from '../../platform/http/browser.ts'

/** Who says something to a session. */
export type Speaker = {
  /** The session that sends it, by the caller's own claim. */
  actingSessionId?: number | undefined
  /** A person has read what was said about the session until now. */
  isByPerson: boolean
  /** In which they say it, if they do. */
  browser?: Browser | undefined
}

/** A caller with an API key is a person unless it names a session; an agent that uses a tool never is. */
export function speakerOf({
  agentOf,
  browser,
  body: { acting_session_id: actingSessionId },
}: {
  agentOf: number | undefined
  browser: Browser | undefined
  body: { acting_session_id?: number | undefined }
}): Speaker {
  return { actingSessionId, isByPerson: agentOf === undefined && actingSessionId === undefined, browser }
}
