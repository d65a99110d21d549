import { setTimeout as sleep } from 'node:timers/promises'
import { RequestError } from '@agentclientprotocol/sdk'
import type { Child } from '../../platform/process/launch.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import type { AcpAgent, Patience } from './agent.ts'
import { AgentGone, AgentTrouble } from './agent-errors.ts'
import { crash, failureOf } from './failures.ts'
import { converse } from './protocol-turn.ts'

type Drive = { agent: AcpAgent; order: TurnOrder; child: Child; patience: Patience }

/** An agent's one turn, from the first word to the end of its process. */
export function driveTurn({ agent, order, child, patience }: Drive): Pick<RunningTurn, 'ended' | 'interrupt'> {
  const interruption = new AbortController()
  const talk = converse({ agent, order, child, patience, interruption: interruption.signal })
  return {
    ended: judge(talk.ended, { child, patience, interruption: interruption.signal }).finally(() =>
      leave(child, patience),
    ),
    interrupt: async () => {
      interruption.abort()
      // With a prompt before it the agent was just asked to cancel. Without one there is nothing more to come.
      const ask = () => void (talk.isPrompted() || child.stdin?.end())
      await child.stop({ graceMs: patience.graceMs, ask })
    },
  }
}

/** Whatever an agent says of its end after we interrupted it, that is what ended it. */
async function judge(
  ended: Promise<TurnEnd>,
  { child, patience, interruption }: Pick<Drive, 'child' | 'patience'> & { interruption: AbortSignal },
): Promise<TurnEnd> {
  try {
    const end = await ended
    return interruption.aborted ? { kind: 'interrupted' } : end
  } catch (error) {
    const isTheAgents = error instanceof AgentGone || error instanceof AgentTrouble || error instanceof RequestError
    if (!isTheAgents) throw error
    if (interruption.aborted) return { kind: 'interrupted' }
    if (error instanceof RequestError) return failureOf(error)
    if (error instanceof AgentTrouble) return { kind: 'failed', reason: error.reason, detail: error.message }
    return crash(await exitOf(child, patience), child.stderrTail())
  }
}

/** A process ends shortly after its output. Undefined for one that goes on all the same. */
async function exitOf(child: Child, { lastWordsMs }: Patience): Promise<Awaited<Child['exited']> | undefined> {
  return Promise.race([child.exited, sleep(lastWordsMs, undefined, { ref: false })])
}

/**
 * A well-behaved agent ends with its input, when it has put its papers in order. It may be a go-between for a program that
 * has papers of its own, and takes a moment longer. Whatever else it started goes with it.
 */
async function leave(child: Child, { graceMs, lastWordsMs }: Patience): Promise<void> {
  await child.stop({ askMs: lastWordsMs, graceMs, descendantGraceMs, ask: () => void child.stdin?.end() })
  // Where we stopped listening in the middle, the pipe is still open. Not awaited: it settles when somebody lets it.
  void child.lines.return(undefined).catch(() => undefined)
}

const descendantGraceMs = 1000
