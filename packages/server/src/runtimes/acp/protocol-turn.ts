import { methods } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import type { TurnEnd, TurnOrder } from '../runtime.ts'
import type { AcpAgent, Patience } from './agent.ts'
import { type AcpConnection, connect, introduce } from './connection.ts'
import { judgeStop } from './failures.ts'
import { instructionsFor } from './instructions.ts'
import { PromptEnd } from './messages.ts'
import { openSession } from './open-session.ts'
import { composePrompt } from './prompt-blocks.ts'
import { settleChoices } from './select-model-and-mode.ts'
import { readLink, writeLink } from './session-link.ts'
import { recordThreads, type Threads } from './threads.ts'
import { openSubagentTranscript, openTranscript } from './transcript.ts'
import { turnHooks } from './turn-hooks.ts'

type Talk = { agent: AcpAgent; order: TurnOrder; child: Child; patience: Patience; interruption: AbortSignal }

/** Says what there is to say in a turn, and writes down what is said. */
export function converse({ agent, order, child, patience, interruption }: Talk): {
  ended: Promise<TurnEnd>
  /** Whether the agent is at work on its prompt. */
  isPrompted(): boolean
} {
  let listener: { sessionId: string; threads: Threads } | undefined
  let wasPrompted = false
  const hooks = turnHooks({ ...order, interruption })
  const connection = connect(
    child,
    {
      onActivity: order.onActivity,
      onNotice: order.onNotice,
      isInterrupted: () => interruption.aborted,
      // Before the prompt there is only what was said in earlier turns, told again.
      onUpdate: async (sessionId, update, parentCall) => {
        if (sessionId === listener?.sessionId) listener.threads.hear(update, parentCall)
        // An agent that is gone has nothing more to come; that it is gone shows when the rest is heard.
        if (hooks.isBusy()) await Promise.race([hooks.quiet(), child.exited])
      },
      // Before its prompt there is nothing to guard it from, and after its turn nothing that it has to do.
      mayCall: async (update) => (listener ? hooks.mayCall(listener.threads.look(update)) : !wasPrompted),
    },
    patience.answerMs,
  )

  const take = async (): Promise<TurnEnd> => {
    const { conversation } = order
    const opened = await open(connection, agent, order)
    const conversationId = conversation.id ?? opened.sessionId
    if (conversation.id === undefined) await order.onNamed(opened.sessionId)
    await settleChoices(connection, opened, { agent, order })
    const transcript = await openTranscript(conversation.home, conversationId)
    const prompt = await composePrompt({ ...opened, transcript: transcript.path, message: order.prompt })
    const link = { conversation: conversationId, session: opened.sessionId, told: opened.instructions.digest }
    await hooks.begin(conversationId)
    if (interruption.aborted) return { kind: 'interrupted' }
    await writeLink(conversation, { ...link, unheard: order.prompt })
    try {
      transcript.append({ type: 'user', message: { role: 'user', content: order.prompt } })
      order.onActivity()
      const threads = recordThreads({
        transcript,
        openSubagent: (callId, facts) => openSubagentTranscript(conversation.home, { conversationId, callId, facts }),
        model: order.model,
        onNotice: order.onNotice,
        onActivity: order.onActivity,
        onCall: hooks.called,
        onResult: hooks.answered,
      })
      listener = { sessionId: opened.sessionId, threads }
      wasPrompted = true
      const end = await ask(opened.sessionId, prompt, threads)
      await hooks.end()
      return end
    } finally {
      listener = undefined
      // From here on the agent has the message, or was told to leave it.
      await writeLink(conversation, link)
    }
  }

  const ask = async (sessionId: string, prompt: unknown, threads: Threads): Promise<TurnEnd> => {
    const cancel = (): void => void connection.tell(methods.agent.session.cancel, { sessionId }).catch(() => undefined)
    interruption.addEventListener('abort', cancel)
    try {
      const answer = connection.ask(
        methods.agent.session.prompt,
        { sessionId, prompt },
        PromptEnd,
        Number.POSITIVE_INFINITY,
      )
      if (interruption.aborted) cancel()
      const { stopReason, usage } = await answer
      threads.finish(usage ?? undefined)
      return judgeStop(stopReason, { isSilent: !threads.hasOutput() && !usage })
    } finally {
      threads.finish()
      interruption.removeEventListener('abort', cancel)
    }
  }

  return { ended: take().finally(hooks.close), isPrompted: () => listener !== undefined }
}

async function open(connection: AcpConnection, agent: AcpAgent, order: TurnOrder) {
  const { agentCapabilities: abilities } = await introduce(connection)
  if (agent.authMethod !== undefined) {
    await connection.ask(methods.agent.authenticate, { methodId: agent.authMethod }, z.unknown())
  }
  const instructions = instructionsFor(order)
  const link = await readLink(order.conversation)
  const session = await openSession(connection, { order, abilities, instructions, earlier: link?.session })
  return { ...session, abilities, instructions, link }
}
