import { methods, RequestError } from '@agentclientprotocol/sdk'
import type { TurnOrder } from '../runtime.ts'
import type { AcpConnection } from './connection.ts'
import type { Instructions } from './instructions.ts'
import { mcpServers } from './mcp-servers.ts'
import { type Capabilities, NewSession, SessionOptions } from './messages.ts'

export type OpenSession = {
  sessionId: string
  options: SessionOptions
  /** Whether the agent's session is new and lacks the earlier turns. */
  isNew: boolean
}

type SessionRequest = {
  order: TurnOrder
  capabilities: Capabilities
  instructions: Instructions
  /** For agents that know it. */
  meta: unknown
  /** The agent's session of the previous turn, if it is still valid. */
  earlier: string | undefined
}

/**
 * Resumes the session of the previous turn or creates a new one. Some agents advertise a way to resume and then reject it, so
 * each advertised way is tried; if all fail, the new session gets a recap.
 */
export async function openSession(
  connection: AcpConnection,
  { order, capabilities, instructions, meta, earlier }: SessionRequest,
): Promise<OpenSession> {
  const { servers, leftOut } = mcpServers(order.equipment.mcpServers, capabilities.mcpCapabilities, order.marker)
  for (const sentence of leftOut) order.onNotice(sentence)
  const settings = {
    cwd: order.conversation.workingDirectory,
    mcpServers: servers,
    _meta: meta,
    ...(capabilities.sessionCapabilities.systemPrompt &&
      instructions.text !== '' && {
        systemPrompt: { mode: 'append', content: [{ type: 'text', text: instructions.text }] },
      }),
  }
  let rejection: RequestError | undefined
  for (const method of earlier === undefined ? [] : resumeMethods(capabilities)) {
    try {
      const options = await connection.request(method, { ...settings, sessionId: earlier }, SessionOptions)
      return { sessionId: earlier ?? '', options, isNew: false }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      rejection = error
    }
  }
  const created = await connection.request(methods.agent.session.new, settings, NewSession.and(SessionOptions))
  if (rejection) {
    order.onNotice(`The agent did not resume its conversation (${rejection.message}) and gets a recap of it instead.`)
  }
  return { sessionId: created.sessionId, options: created, isNew: true }
}

/** Resume comes first: load repeats the whole conversation. */
function resumeMethods({ loadSession, sessionCapabilities }: Capabilities): string[] {
  return [
    ...(sessionCapabilities.resume ? [methods.agent.session.resume] : []),
    ...(loadSession ? [methods.agent.session.load] : []),
  ]
}
