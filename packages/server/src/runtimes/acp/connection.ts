import {
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk'
import type { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { quote } from '../quote.ts'
import type { TurnOrder } from '../runtime.ts'
import { AgentError } from './agent-errors.ts'
import { messageStream } from './message-stream.ts'
import {
  extensionOf,
  InitializeResult,
  Notification,
  PermissionQuestion,
  type ToolUpdate,
  type Update,
} from './messages.ts'
import { answerPermission } from './permission.ts'

export type AcpConnection = {
  /**
   * Sends a request and parses the answer. Rejects with the agent's `RequestError`, with `AgentError` if the answer is late or
   * invalid, and with `AgentGone`.
   */
  request<T extends z.ZodType>(method: string, params: unknown, schema: T, timeoutMs?: number): Promise<z.output<T>>
  notify(method: string, params: unknown): Promise<void>
}

type Callbacks = Pick<TurnOrder, 'onActivity' | 'onNotice'> & {
  /** The next message is read after it settles. `parentCall` is the call that started the subagent, for a subagent's update. */
  onUpdate(sessionId: string, update: Update, parentCall: string | undefined): Promise<void>
  /** Whether the agent may make the call that the update describes. */
  mayCall(update: ToolUpdate): Promise<boolean>
  /** Asks a person. Absent: questions are declined. */
  elicit?(params: CreateElicitationRequest): Promise<CreateElicitationResponse>
  isInterrupted(): boolean
}

/**
 * The client side of the protocol, for unattended turns: it grants permissions unless a hook objects, and declines questions.
 * Agents read files and run commands themselves, so the client offers neither.
 */
export function connect(child: Child, callbacks: Callbacks, timeoutMs: number): AcpConnection {
  const connection = client({ name: 'yardmaster' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const { data: question } = PermissionQuestion.safeParse(params)
      const isGranted = question !== undefined && (await callbacks.mayCall(question))
      return callbacks.isInterrupted()
        ? { outcome: { outcome: 'cancelled' } }
        : answerPermission(params.options, { isGranted, isAsked: callbacks.elicit !== undefined })
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => {
      if (callbacks.elicit) return callbacks.elicit(params)
      callbacks.onNotice(`The agent asked a question, which Yardmaster declined: ${quote(String(params.message))}`)
      return { action: 'decline' }
    })
    .connect(
      messageStream(child, {
        ...callbacks,
        onUpdate: async (params) => {
          const notification = Notification.safeParse(params).data
          if (!notification) return
          const { toolName, parentCall } = extensionOf(Object(params).update)
          await callbacks.onUpdate(notification.sessionId, withName(notification.update, toolName), parentCall)
        },
      }),
    )

  return {
    async request(method, params, schema, limitMs = timeoutMs) {
      const answer = await within(limitMs, method, connection.agent.request(method, params))
      const result = schema.safeParse(answer ?? {})
      if (!result.success) {
        throw new AgentError('agent_error', `The agent's answer to ${method} is not valid in the protocol.`)
      }
      return result.data
    },
    notify: (method, params) => connection.agent.notify(method, params),
  }
}

function withName(update: Update, toolName: string | undefined): Update {
  return 'toolCallId' in update && toolName !== undefined ? { ...update, name: update.name || toolName } : update
}

export async function initialize(
  connection: AcpConnection,
  { mayAsk }: { mayAsk: boolean },
): Promise<z.infer<typeof InitializeResult>> {
  const result = await connection.request(
    methods.agent.initialize,
    {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        ...(mayAsk && { elicitation: { form: {} } }),
      },
      clientInfo: { name: 'yardmaster', title: 'Yardmaster', version: '1' },
    },
    InitializeResult,
  )
  if (result.protocolVersion === PROTOCOL_VERSION) return result
  throw new AgentError(
    'agent_error',
    `The agent speaks version ${result.protocolVersion} of the Agent Client Protocol; Yardmaster speaks ${PROTOCOL_VERSION}.`,
  )
}

/** Times out, because a program that does not speak the protocol never answers. */
async function within<T>(limitMs: number, method: string, answer: Promise<T>): Promise<T> {
  if (limitMs === Number.POSITIVE_INFINITY) return answer
  const sentence = `The agent did not answer ${method} within ${limitMs / 1000} s. Does its command line make it speak the Agent Client Protocol?`
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AgentError('agent_error', sentence)), limitMs)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
