import { methods, RequestError } from '@agentclientprotocol/sdk'
import type { TurnOrder } from '../runtime.ts'
import type { AcpConnection } from './connection.ts'
import type { Instructions } from './instructions.ts'
import { mcpServers } from './mcp-servers.ts'
import { type Abilities, NewSession, SessionOffer } from './messages.ts'

export type OpenSession = {
  sessionId: string
  offer: SessionOffer
  /** Whether it begins with nothing, so that the agent knows of no earlier turn. */
  isFresh: boolean
}

type Wish = {
  order: TurnOrder
  abilities: Abilities
  instructions: Instructions
  /** The session of the turn before, if the agent still is where we left it. */
  earlier: string | undefined
}

/**
 * The session of the turn before, in a new process, or a new one. Agents promise to take up sessions and then refuse, so
 * each way they name is tried, and a refusal is not the end: a recap will do.
 */
export async function openSession(
  connection: AcpConnection,
  { order, abilities, instructions, earlier }: Wish,
): Promise<OpenSession> {
  const { servers, leftOut } = mcpServers(order.equipment.mcpServers, abilities.mcpCapabilities, order.marker)
  for (const sentence of leftOut) order.onNotice(sentence)
  const setting = {
    cwd: order.conversation.workingDirectory,
    mcpServers: servers,
    ...(abilities.sessionCapabilities.systemPrompt &&
      instructions.text !== '' && {
        systemPrompt: { mode: 'append', content: [{ type: 'text', text: instructions.text }] },
      }),
  }
  let refusal: RequestError | undefined
  for (const method of earlier === undefined ? [] : waysBack(abilities)) {
    try {
      const offer = await connection.ask(method, { ...setting, sessionId: earlier }, SessionOffer)
      return { sessionId: earlier ?? '', offer, isFresh: false }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      refusal = error
    }
  }
  const created = await connection.ask(methods.agent.session.new, setting, NewSession.and(SessionOffer))
  if (refusal) {
    order.onNotice(`The agent did not take up its conversation (${refusal.message}) and gets a recap of it instead.`)
  }
  return { sessionId: created.sessionId, offer: created, isFresh: true }
}

/** To resume is cheaper than to load: loading tells everything again. */
function waysBack({ loadSession, sessionCapabilities }: Abilities): string[] {
  return [
    ...(sessionCapabilities.resume ? [methods.agent.session.resume] : []),
    ...(loadSession ? [methods.agent.session.load] : []),
  ]
}
