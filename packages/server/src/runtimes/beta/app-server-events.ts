import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { type JsonRpc, jsonRpc } from '../json-rpc.ts'
import type { TurnOrder } from '../runtime.ts'
import { beginTurn, type Thread } from './begin-turn.ts'
import type { Codex } from './codex.ts'
import { answerQuestion } from './decline-request.ts'
import { watchStartup } from './mcp-startup.ts'
import { FailedCall, noticeOf } from './notices.ts'
import { watchOutage } from './outage.ts'
import { goOn, isTurnedAway, retryNotice } from './rate-limit-retry.ts'
import { type CodexError, CodexTurn, type Ending } from './turn-end.ts'

export type Hearing = {
  rpc: JsonRpc
  servers: ReturnType<typeof watchStartup>
  /** The turn that counts; subagents have turns of their own. */
  follow(turn: Thread): void
  /** Asks for the end of that turn. */
  interrupt(): Promise<void>
  /** What was heard of the turn's end, once there is one or the agent is gone. */
  ending(): Promise<Pick<Ending, 'turn' | 'isInterrupted' | 'outage'>>
}

/** Everything the app server says, from the first word. When its turn has ended it is let go. */
export function hear(
  child: Child,
  order: TurnOrder,
  { outageMs, retryDelaysMs }: Pick<Codex, 'outageMs' | 'retryDelaysMs'>,
): Hearing {
  const told = new Set<string>()
  const completed = new Map<string, CodexTurn>()
  const servers = watchStartup()
  let followed: Thread | undefined
  let isInterrupted = false
  let outageError: CodexError | undefined
  let attempts = 0
  let askingAgain: NodeJS.Timeout | undefined
  let letGo = (): void => undefined
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })

  const tell = (sentence: string | undefined): void => {
    if (sentence === undefined || told.has(sentence)) return
    told.add(sentence)
    order.onNotice(sentence)
  }
  const outage = watchOutage(outageMs, (error) => {
    outageError = error
    if (followed) rpc.call('turn/interrupt', followed).catch(() => rpc.close())
  })
  const leave = (): void => {
    outage.over()
    rpc.close()
    letGo()
  }
  const follow = (turn: Thread): void => {
    followed = turn
    leaveWhenDone()
  }
  const leaveWhenDone = (): void => {
    const turn = followed && completed.get(followed.turnId)
    if (!followed || !turn) return
    const delayMs = retryDelaysMs[attempts]
    if (isInterrupted || outageError || delayMs === undefined || !isTurnedAway(turn)) {
      leave()
      return
    }
    attempts += 1
    tell(retryNotice(turn, { delayMs, attempt: attempts, of: retryDelaysMs.length }))
    askAgain(followed.threadId, delayMs)
  }
  const askAgain = (threadId: string, delayMs: number): void => {
    outage.over()
    askingAgain = setTimeout(() => {
      askingAgain = undefined
      beginTurn(rpc, { threadId, model: order.model, text: goOn }).then(follow, leave)
    }, delayMs)
  }
  const heard: Record<string, (params: unknown) => void> = {
    error: (params) => {
      const { data } = FailedCall.safeParse(params)
      if (data?.willRetry) outage.failed(data.error)
    },
    'mcpServer/startupStatus/updated': servers.heard,
    'turn/completed': (params) => {
      const { data } = TurnCompleted.safeParse(params)
      if (data) completed.set(data.turn.id, data.turn)
      leaveWhenDone()
    },
  }
  const rpc = jsonRpc(child, {
    answerMs,
    onRequest: (method, params) => answerQuestion(method, params, tell),
    onNotification: (method, params) => {
      order.onActivity()
      tell(noticeOf(method, params))
      if (method.startsWith('item/')) outage.over()
      heard[method]?.(params)
    },
  })
  return {
    rpc,
    servers,
    follow,
    interrupt: async () => {
      isInterrupted = true
      if (askingAgain) {
        clearTimeout(askingAgain)
        leave()
      } else if (followed) await rpc.call('turn/interrupt', followed)
    },
    ending: async () => {
      // Whatever it still has to do, such as hooks, has no say in how the turn ended.
      await Promise.race([isLetGo, rpc.ended])
      outage.over()
      clearTimeout(askingAgain)
      return { turn: followed && completed.get(followed.turnId), isInterrupted, outage: outageError }
    },
  }
}

/** Each of these takes a fraction of a second; on a machine that starts dozens of agents at once, a few. */
const answerMs = 120_000

const TurnCompleted = z.object({ turn: CodexTurn })
