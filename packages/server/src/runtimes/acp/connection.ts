import { client, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk'
import type { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { quote } from '../quote.ts'
import type { TurnOrder } from '../runtime.ts'
import { AgentTrouble } from './agent-errors.ts'
import { messageStream } from './message-stream.ts'
import {
  extensionOf,
  Introduction,
  Notification,
  PermissionQuestion,
  type ToolUpdate,
  type Update,
} from './messages.ts'
import { answerPermission } from './permission.ts'

export type AcpConnection = {
  /**
   * Asks and reads the answer by a schema. Rejects with the agent's own error, with `AgentTrouble` when the answer is
   * late or makes no sense, and with `AgentGone`.
   */
  ask<T extends z.ZodType>(method: string, params: unknown, schema: T, answerMs?: number): Promise<z.output<T>>
  tell(method: string, params: unknown): Promise<void>
}

type Ears = Pick<TurnOrder, 'onActivity' | 'onNotice'> & {
  /** Nothing more is heard before it settles. `parentCall`: of the subagent whose doing it is. */
  onUpdate(sessionId: string, update: Update, parentCall: string | undefined): Promise<void>
  /** Whether the call may be made that the update is about. */
  mayCall(update: ToolUpdate): Promise<boolean>
  isInterrupted(): boolean
}

/**
 * Speaks the protocol with an agent. Its requests are answered for a machine that nobody sits at: what it wants to do is
 * allowed unless a hook objects, what it wants to know is declined. It reads files and runs commands by itself, so we offer neither.
 */
export function connect(child: Child, ears: Ears, answerMs: number): AcpConnection {
  const connection = client({ name: 'yardmaster' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const { data: question } = PermissionQuestion.safeParse(params)
      const isGranted = question !== undefined && (await ears.mayCall(question))
      return ears.isInterrupted() ? { outcome: { outcome: 'cancelled' } } : answerPermission(params.options, isGranted)
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      ears.onNotice(`The agent asked a question, which was declined: ${quote(String(params.message))}`)
      return { action: 'decline' }
    })
    .connect(
      messageStream(child, {
        ...ears,
        onNews: async (params) => {
          const news = Notification.safeParse(params).data
          if (!news) return
          const { toolName, parentCall } = extensionOf(Object(params).update)
          await ears.onUpdate(news.sessionId, named(news.update, toolName), parentCall)
        },
      }),
    )

  return {
    async ask(method, params, schema, limitMs = answerMs) {
      const answer = await within(limitMs, method, connection.agent.request(method, params))
      const result = schema.safeParse(answer ?? {})
      if (!result.success) {
        throw new AgentTrouble('agent_error', `The agent answered ${method} with what the protocol does not know.`)
      }
      return result.data
    },
    tell: (method, params) => connection.agent.notify(method, params),
  }
}

function named(update: Update, toolName: string | undefined): Update {
  return 'toolCallId' in update && toolName !== undefined ? { ...update, name: update.name || toolName } : update
}

/** Who we are, and what the agent can do. */
export async function introduce(connection: AcpConnection): Promise<z.infer<typeof Introduction>> {
  const introduction = await connection.ask(
    methods.agent.initialize,
    {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'yardmaster', title: 'Yardmaster', version: '1' },
    },
    Introduction,
  )
  if (introduction.protocolVersion === PROTOCOL_VERSION) return introduction
  throw new AgentTrouble(
    'agent_error',
    `The agent speaks version ${introduction.protocolVersion} of the Agent Client Protocol, and not ${PROTOCOL_VERSION}.`,
  )
}

/** Not for ever: a program that does not speak the protocol just sits there. */
async function within<T>(limitMs: number, method: string, answer: Promise<T>): Promise<T> {
  if (limitMs === Number.POSITIVE_INFINITY) return answer
  const sentence = `The agent did not answer ${method} within ${limitMs / 1000} s. Does its command line make it speak the Agent Client Protocol?`
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AgentTrouble('agent_error', sentence)), limitMs)
  })
  try {
    return await Promise.race([answer, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
