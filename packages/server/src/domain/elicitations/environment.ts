import type { App } from '../app.ts'

/** Empty if the host has no address at which its agents reach the service. */
type Variables = Partial<
  Record<
    | 'ELICITATION_REQUEST_URL'
    | 'ELICITATION_POLL_URL'
    | 'ELICITATION_PREFER_HTTP_FALLBACK'
    | 'ELICITATION_TTL_MS'
    | 'ELICITATION_SESSION_ID',
    string
  >
>

/** With which the MCP servers of a session ask a person. Clients need both addresses, and poll below the second. */
export async function variablesOf(app: App, sessionId: number, token: string): Promise<Variables> {
  const base = await app.serviceUrl
  if (base === undefined) return {}
  const address = `${base}/api/v1/elicitations/session/${token}`
  return {
    ELICITATION_REQUEST_URL: address,
    ELICITATION_POLL_URL: address,
    // Agents without a person in front of them say that they can ask one, and decline at once.
    ELICITATION_PREFER_HTTP_FALLBACK: 'true',
    // Server and client must agree on the window: the client gives up by its own clock.
    ELICITATION_TTL_MS: String(app.elicitationMinutes * 60_000),
    ELICITATION_SESSION_ID: String(sessionId),
  }
}
