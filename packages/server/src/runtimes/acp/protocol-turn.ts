import { methods } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import type { TurnEnd, TurnOrder } from '../runtime.ts'
import type { AcpAgent, Timeouts } from './agent.ts'
import { type AcpConnection, connect, initialize } from './connection.ts'
import { endOfStop } from './failures.ts'
import { instructionsFor } from './instructions.ts'
import { PromptEnd } from './messages.ts'
import { openSession } from './open-session.ts'
import { answerForm, isGranted } from './permission.ts'
import { composePrompt } from './prompt-blocks.ts'
import { selectModelAndMode } from './select-model-and-mode.ts'
import { readLink, writeLink } from './session-link.ts'
import { recordThreads, type Threads } from './threads.ts'
import { openSubagentTranscript, openTranscript } from './transcript.ts'
import { turnHooks } from './turn-hooks.ts'

type ProtocolTurn = {
  agent: AcpAgent
  order: TurnOrder
  child: Child
  sessionMeta: unknown
  timeouts: Timeouts
  interruption: AbortSignal
}

/** Runs the protocol of one turn and writes the transcript. */
export function runProtocolTurn({ agent, order, child, sessionMeta, timeouts, interruption }: ProtocolTurn): {
  ended: Promise<TurnEnd>
  /** Whether the agent has its prompt and the turn has not ended. */
  isPrompted(): boolean
} {
  let active: { sessionId: string; threads: Threads } | undefined
  let wasPrompted = false
  /** Clears the note that the agent may not have its prompt. Undefined once it is cleared. */
  let recordDelivery: (() => Promise<void>) | undefined
  const hooks = turnHooks({ ...order, interruption })
  const { ask } = order
  const connection = connect(
    child,
    {
      onActivity: order.onActivity,
      onNotice: order.onNotice,
      isInterrupted: () => interruption.aborted,
      // Before the prompt, updates only repeat earlier turns.
      onUpdate: async (sessionId, update, parentCall) => {
        if (sessionId === active?.sessionId) {
          active.threads.handle(update, parentCall)
          // Output proves that the agent has its prompt. A turn may work for hours before it ends.
          if (active.threads.hasOutput()) await recordDelivery?.()
        }
        // Stop waiting for hooks when the agent exits: the stream reports the exit after the remaining messages.
        if (hooks.isBusy()) await Promise.race([hooks.idle(), child.exited])
      },
      // Hooks guard only the turn. Allow calls before the prompt, refuse them after the turn.
      mayCall: async (update) => {
        if (order.hasNoTools) return false
        const isAllowed = active ? await hooks.mayCall(active.threads.callOf(update)) : !wasPrompted
        return isAllowed && isGranted(ask, update, interruption)
      },
      ...(ask && { elicit: (params) => answerForm(ask, params, interruption) }),
    },
    timeouts.answerMs,
  )

  const run = async (): Promise<TurnEnd> => {
    const { conversation } = order
    const opened = await open(connection, { agent, order, sessionMeta })
    const conversationId = conversation.id ?? opened.sessionId
    if (conversation.id === undefined) await order.onNamed(opened.sessionId)
    await selectModelAndMode(connection, opened, { agent, order })
    const transcript = openTranscript(conversation.home, conversationId)
    const { prompt: message, isCommand = false } = order
    const file = { path: transcript.path, within: conversation.home }
    const prompt = await composePrompt({ ...opened, transcript: file, message, isCommand })
    const link = {
      conversation: conversationId,
      session: opened.sessionId,
      instructionsDigest: opened.instructions.digest,
    }
    await hooks.begin(conversationId)
    if (interruption.aborted) return { kind: 'interrupted' }
    await writeLink(conversation, { ...link, undelivered: order.prompt })
    recordDelivery = async () => {
      recordDelivery = undefined
      await writeLink(conversation, link)
    }
    try {
      transcript.append({ type: 'user', message: { role: 'user', content: order.prompt } })
      order.onActivity()
      const threads = recordThreads({
        transcript,
        openSubagent: (callId, facts) => openSubagentTranscript(conversation.home, { conversationId, callId, facts }),
        model: order.model,
        onNotice: order.onNotice,
        onActivity: order.onActivity,
        onCall: hooks.callSeen,
        onResult: hooks.resultSeen,
      })
      active = { sessionId: opened.sessionId, threads }
      wasPrompted = true
      const end = await sendPrompt(opened.sessionId, prompt, threads)
      await hooks.end()
      return end
    } finally {
      active = undefined
      // The agent has received the prompt, or was told to cancel it.
      await recordDelivery?.()
    }
  }

  const sendPrompt = async (sessionId: string, prompt: unknown, threads: Threads): Promise<TurnEnd> => {
    const cancel = (): void =>
      void connection.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined)
    interruption.addEventListener('abort', cancel)
    try {
      const answer = connection.request(
        methods.agent.session.prompt,
        { sessionId, prompt },
        PromptEnd,
        Number.POSITIVE_INFINITY,
      )
      if (interruption.aborted) cancel()
      const { stopReason, usage } = await answer
      threads.finish(usage ?? undefined)
      return endOfStop(stopReason, { hasNoOutput: !order.isCommand && !threads.hasOutput() && !usage })
    } finally {
      threads.finish()
      interruption.removeEventListener('abort', cancel)
    }
  }

  return { ended: run().finally(hooks.close), isPrompted: () => active !== undefined }
}

async function open(
  connection: AcpConnection,
  { agent, order, sessionMeta }: Pick<ProtocolTurn, 'agent' | 'order' | 'sessionMeta'>,
) {
  const { agentCapabilities: capabilities } = await initialize(connection, { mayAsk: order.ask !== undefined })
  if (agent.authMethod !== undefined) {
    await connection.request(methods.agent.authenticate, { methodId: agent.authMethod }, z.unknown())
  }
  const instructions = instructionsFor(order)
  const link = await readLink(order.conversation)
  const session = await openSession(connection, {
    order,
    capabilities,
    instructions,
    meta: sessionMeta,
    earlier: link?.session,
  })
  return { ...session, capabilities, instructions, link }
}
