import { setTimeout as sleep } from 'node:timers/promises'
import { RequestError } from '@agentclientprotocol/sdk'
import type { Child } from '../../platform/process/launch.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import { type AcpAgent, keyNamesOf, type Timeouts } from './agent.ts'
import { AgentError, AgentGone } from './agent-errors.ts'
import { crash, failureOf } from './failures.ts'
import { runProtocolTurn } from './protocol-turn.ts'

type TurnProcess = {
  agent: AcpAgent
  order: TurnOrder
  child: Child
  /** The `_meta` of the requests that open the agent's session. */
  sessionMeta: unknown
  timeouts: Timeouts
}

/** Runs one turn, from the first message to the end of the process. */
export function runTurn(process: TurnProcess): Pick<RunningTurn, 'ended' | 'interrupt'> {
  const { child, timeouts } = process
  const interruption = new AbortController()
  const turn = runProtocolTurn({ ...process, interruption: interruption.signal })
  return {
    ended: decideTurnEnd(turn.ended, { ...process, interruption: interruption.signal }).finally(() =>
      shutDown(child, timeouts),
    ),
    interrupt: async () => {
      interruption.abort()
      // An agent with a prompt gets the protocol's cancel from the abort signal. Without one, closing its input is enough.
      const ask = () => void (turn.isPrompted() || child.stdin?.end())
      await child.stop({ graceMs: timeouts.graceMs, ask })
    },
  }
}

/** After an interrupt the turn counts as interrupted, whatever the agent reports. */
async function decideTurnEnd(
  ended: Promise<TurnEnd>,
  {
    agent,
    child,
    timeouts,
    interruption,
  }: Pick<TurnProcess, 'agent' | 'child' | 'timeouts'> & {
    interruption: AbortSignal
  },
): Promise<TurnEnd> {
  try {
    const end = await ended
    return interruption.aborted ? { kind: 'interrupted' } : end
  } catch (error) {
    const isAgentFailure = error instanceof AgentGone || error instanceof AgentError || error instanceof RequestError
    if (!isAgentFailure) throw error
    if (interruption.aborted) return { kind: 'interrupted' }
    if (error instanceof RequestError) return failureOf(error, { keyNames: keyNamesOf(agent) })
    if (error instanceof AgentError) return { kind: 'failed', reason: error.reason, detail: error.message }
    return crash(await exitOf(child, timeouts), child.stderrTail())
  }
}

/** A process normally exits soon after its output ends. Undefined for one that goes on. */
async function exitOf(child: Child, { exitMs }: Timeouts): Promise<Awaited<Child['exited']> | undefined> {
  return Promise.race([child.exited, sleep(exitMs, undefined, { ref: false })])
}

/**
 * Closes the agent's input and gives it time to save its state and exit. An ACP agent may wrap a program that saves state of its
 * own, so descendants get a grace period too. Then everything that is left is killed.
 */
async function shutDown(child: Child, { graceMs, exitMs }: Timeouts): Promise<void> {
  await child.stop({ askMs: exitMs, graceMs, descendantGraceMs, ask: () => void child.stdin?.end() })
  // The pipe is still open if reading stopped in the middle. Not awaited: a reader that is still pending delays it.
  void child.lines.return(undefined).catch(() => undefined)
}

/** For the programs that the agent wraps. */
export const descendantGraceMs = 1000
