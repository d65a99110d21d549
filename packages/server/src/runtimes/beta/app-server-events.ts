import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { type JsonRpc, jsonRpc } from '../json-rpc.ts'
import type { TurnOrder } from '../runtime.ts'
import { requestAnswerer } from './answer-request.ts'
import { beginTurn, type Thread } from './begin-turn.ts'
import type { Codex } from './codex.ts'
import { CodexLimits } from './limits.ts'
import { byCodexName } from './mcp-servers.ts'
import { watchStartup } from './mcp-startup.ts'
import { FailedCall, noticeOf, unauthorizedServer } from './notices.ts'
import { watchOutage } from './outage.ts'
import { continuePrompt, isBusy, retryNotice } from './rate-limit-retry.ts'
import { type CodexError, CodexTurn, type TurnOutcome } from './turn-end.ts'

export type AppServerEvents = {
  rpc: JsonRpc
  servers: ReturnType<typeof watchStartup>
  /** Selects the turn to watch; subagents have turns of their own. */
  follow(turn: Thread): void
  /** Interrupts that turn by protocol. */
  interrupt(): Promise<void>
  /** Settles when the turn has ended or the app server is gone. */
  outcome(): Promise<Pick<TurnOutcome, 'turn' | 'isInterrupted' | 'outage' | 'limits'>>
}

/** Watches the app server's messages from its start. Closes its input when the watched turn has ended. */
export function watchAppServer(
  child: Child,
  order: TurnOrder,
  { retryDelaysMs, ...outageLimits }: Pick<Codex, 'outageMs' | 'pauseMs' | 'retryDelaysMs'>,
): AppServerEvents {
  const reported = new Set<string>()
  const completed = new Map<string, CodexTurn>()
  const servers = watchStartup()
  let watched: Thread | undefined
  let isInterrupted = false
  let outageError: CodexError | undefined
  let limits: CodexLimits | undefined
  let retries = 0
  let retryTimer: NodeJS.Timeout | undefined
  let markClosed = (): void => undefined
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve
  })

  const notify = (sentence: string | undefined): void => {
    if (sentence === undefined || reported.has(sentence)) return
    reported.add(sentence)
    order.onNotice(sentence)
  }
  const answerer = requestAnswerer({ notify, ask: order.ask })
  const outage = watchOutage(outageLimits, (error) => {
    outageError = error
    if (watched) rpc.call('turn/interrupt', watched).catch(() => rpc.close())
  })
  const close = (): void => {
    outage.over()
    rpc.close()
    markClosed()
  }
  const follow = (turn: Thread): void => {
    watched = turn
    closeWhenDone()
  }
  const closeWhenDone = (): void => {
    const turn = watched && completed.get(watched.turnId)
    if (!watched || !turn) return
    const delayMs = retryDelaysMs[retries]
    if (isInterrupted || outageError || delayMs === undefined || !isBusy(turn)) {
      close()
      return
    }
    retries += 1
    notify(retryNotice(turn, { delayMs, attempt: retries, of: retryDelaysMs.length }))
    retryLater(watched.threadId, delayMs)
  }
  const retryLater = (threadId: string, delayMs: number): void => {
    outage.over()
    retryTimer = setTimeout(() => {
      retryTimer = undefined
      beginTurn(rpc, { threadId, model: order.model, text: continuePrompt }).then(follow, close)
    }, delayMs)
  }
  const handlers: Record<string, (params: unknown) => void> = {
    error: (params) => {
      const { data } = FailedCall.safeParse(params)
      if (data?.willRetry) outage.failed(data.error)
    },
    'account/rateLimits/updated': (params) => {
      limits = CodexLimits.safeParse(params).data ?? limits
    },
    'mcpServer/startupStatus/updated': (params) => {
      servers.statusChanged(params)
      const server = byCodexName(order.equipment.mcpServers).get(unauthorizedServer(params) ?? '')
      if (server) order.onUnauthorized?.(server.name)
    },
    'turn/completed': (params) => {
      const { data } = TurnCompleted.safeParse(params)
      if (data) completed.set(data.turn.id, data.turn)
      closeWhenDone()
    },
  }
  const rpc = jsonRpc(child, {
    timeoutMs,
    onRequest: answerer.answer,
    onNotification: (method, params) => {
      order.onActivity()
      notify(noticeOf(method, params))
      if (method === 'item/started') answerer.itemStarted(params)
      if (method.startsWith('item/')) outage.over()
      handlers[method]?.(params)
    },
  })
  return {
    rpc,
    servers,
    follow,
    interrupt: async () => {
      isInterrupted = true
      if (retryTimer) {
        clearTimeout(retryTimer)
        close()
      } else if (watched) await rpc.call('turn/interrupt', watched)
    },
    outcome: async () => {
      // Does not wait for the exit: the hooks that codex still runs do not change how the turn ended.
      await Promise.race([closed, rpc.ended])
      outage.over()
      clearTimeout(retryTimer)
      return { turn: watched && completed.get(watched.turnId), isInterrupted, outage: outageError, limits }
    },
  }
}

/** A call takes a fraction of a second; a few seconds on a host that starts dozens of agents at once. */
const timeoutMs = 120_000

const TurnCompleted = z.object({ turn: CodexTurn })
