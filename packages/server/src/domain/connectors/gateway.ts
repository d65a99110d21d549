import type { IncomingMessage } from 'node:http'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { serversOf, takesSignIn } from '../catalog/catalog.ts'
import {
  credentialKeyOf,
  findToken,
  type RemoteServer,
  recordRejected,
  type TokenAnswer,
} from '../credentials/credential.ts'
import { findSessionIdByTurnKey } from '../inbox/inbox.ts'
import { findSession } from '../sessions/session.ts'
import { parkForServer } from './parking.ts'
import { filledIn, remoteServerOf } from './remote-server.ts'

/** A server that the agent of a session may reach. */
export type Reachable = { sessionId: number; server: RemoteServer; url: string; headers: Record<string, string> }

/** By the key of the agent's turn: only the servers of its own session. */
export async function findReachable(app: App, key: string, serverName: string): Promise<Reachable> {
  const sessionId = await findSessionIdByTurnKey(app.db, key)
  if (sessionId === undefined) return refuse('unauthorized', 'Invalid or missing key of a turn')
  const session = await findSession(app.db, { id: sessionId })
  const tree = app.catalog.current()
  const declared = tree.mcpServers.find(serverName)
  const server = declared && takesSignIn(declared) && remoteServerOf(declared)
  if (!server || !serversOf(tree, session).includes(server.name)) return refuseMissing()
  return { sessionId, server, ...filledIn(app.catalog, server) }
}

type Message = {
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer | undefined
  signal: AbortSignal
}

/** Tokens that expire while a request is on its way are refused: renew them a little before. */
const marginSeconds = 30

/**
 * Sends a message with the server's token. A token that the server refuses is refreshed once, and the message is sent again. If a
 * person has to sign in, the session is parked.
 */
export async function sendAuthorized(
  app: App,
  { sessionId, server }: Reachable,
  message: Message,
): Promise<IncomingMessage> {
  const problem = app.upstream.problemWith(message.url)
  if (problem !== undefined)
    refuse('cannot_authorize', `The address of ${server.name} ${problem}. Its token is not sent there.`)
  const key = credentialKeyOf(server)
  const first = await findToken(app, key, { marginSeconds })
  if (first.kind !== 'token') return refuseTokenless(app, sessionId, server, first)
  const answer = await app.upstream.send(message.url, withToken(message, first.token))
  if (answer.statusCode !== 401) return answer
  answer.resume()
  const second = await findToken(app, key, { marginSeconds, refused: first.sealed })
  if (second.kind === 'refused') {
    await recordRejected(app, first)
    return refuseTokenless(app, sessionId, server, { kind: 'needs_reauth' })
  }
  if (second.kind !== 'token') return refuseTokenless(app, sessionId, server, second)
  const again = await app.upstream.send(message.url, withToken(message, second.token))
  if (again.statusCode !== 401) return again
  again.resume()
  await recordRejected(app, second)
  return refuseTokenless(app, sessionId, server, { kind: 'needs_reauth' })
}

function withToken({ headers, ...message }: Message, token: string): Message {
  return { ...message, headers: { ...headers, authorization: `Bearer ${token}` } }
}

async function refuseTokenless(app: App, sessionId: number, server: RemoteServer, answer: TokenAnswer): Promise<never> {
  if (answer.kind === 'later')
    return refuse('unavailable', `The token of ${server.name} cannot be renewed now: ${answer.reason}`)
  await parkForServer(app, sessionId, server.name)
  return refuse('cannot_authorize', `A person must authorize ${server.name} first.`)
}
