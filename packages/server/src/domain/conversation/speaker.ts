/** Who says something to a session. */
export type Speaker = {
  /** The session that sends it, by the caller's own claim. */
  actingSessionId?: number | undefined
  /** A person has read what was said about the session until now. */
  isByPerson: boolean
}

/** A caller with an API key is a person unless it names a session; an agent that uses a tool never is. */
export function speakerOf({
  agentOf,
  body: { acting_session_id: actingSessionId },
}: {
  agentOf: number | undefined
  body: { acting_session_id?: number | undefined }
}): Speaker {
  return { actingSessionId, isByPerson: agentOf === undefined && actingSessionId === undefined }
}
