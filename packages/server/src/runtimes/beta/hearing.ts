import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { type JsonRpc, jsonRpc } from '../json-rpc.ts'
import type { TurnOrder } from '../runtime.ts'
import { type CodexError, CodexTurn, type Ending } from './judge-end.ts'
import { watchStartup } from './mcp-startup.ts'
import { FailedCall, noticeOf } from './notices.ts'
import { watchOutage } from './outage.ts'
import { answerQuestion } from './questions.ts'

export type Thread = { threadId: string; turnId: string }

export type Hearing = {
  rpc: JsonRpc
  servers: ReturnType<typeof watchStartup>
  /** The turn that counts; subagents have turns of their own. */
  follow(turn: Thread): void
  interrupted(): void
  /** What was heard of the turn's end, once there is one or the agent is gone. */
  ending(): Promise<Pick<Ending, 'turn' | 'isInterrupted' | 'outage'>>
}

/** Everything the app server says, from the first word. When its turn has ended it is let go. */
export function hear(child: Child, order: TurnOrder, { outageMs }: { outageMs: number }): Hearing {
  const told = new Set<string>()
  const completed = new Map<string, CodexTurn>()
  const servers = watchStartup()
  let followed: Thread | undefined
  let isInterrupted = false
  let outageError: CodexError | undefined
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
  const letGoWhenDone = (): void => {
    if (!followed || !completed.has(followed.turnId)) return
    outage.over()
    rpc.close()
    letGo()
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
      letGoWhenDone()
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
    follow: (turn) => {
      followed = turn
      letGoWhenDone()
    },
    interrupted: () => {
      isInterrupted = true
    },
    ending: async () => {
      // Whatever it still has to do, such as hooks, has no say in how the turn ended.
      await Promise.race([isLetGo, rpc.ended])
      outage.over()
      return { turn: followed && completed.get(followed.turnId), isInterrupted, outage: outageError }
    },
  }
}

/** Each of these takes a fraction of a second; on a machine that starts dozens of agents at once, a few. */
const answerMs = 120_000

const TurnCompleted = z.object({ turn: CodexTurn })
