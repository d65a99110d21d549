import { z } from 'zod'
import { parseJson } from '../../platform/parse-json.ts'
import type { Child } from '../../platform/process/launch.ts'
import { launchAgent } from '../launch-agent.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import type { Codex } from './codex.ts'
import { asSentence, type CodexTurn, decideTurnEnd } from './turn-end.ts'

/**
 * Runs a turn by `codex exec --json`. It survives a crash of the server. Its limits: it asks no questions, ignores changed
 * instructions, trusts the repository's hooks along with the session's, and names a new thread only after it has the prompt.
 */
export async function startExecTurn(codex: Codex, order: TurnOrder): Promise<RunningTurn> {
  const program = await codex.program(order, execArgs(order))
  return launchAgent(order, program, async (child) => {
    const events = watchEvents(order, child)
    child.stdin?.on('error', () => undefined) // the exit status reports why codex did not read the prompt
    child.stdin?.end(order.prompt)
    const threadId = await events.threadId
    if (threadId !== undefined && threadId !== order.conversation.id) await order.onNamed(threadId)
    return {
      identity: child.identity,
      ended: finish(child, events),
      interrupt: async () => {
        events.interrupted()
        // On SIGINT codex stops its tools and records the interrupt in the rollout; on SIGTERM it does neither.
        await child.stop({ graceMs, ask: () => void process.kill(child.identity.pid, 'SIGINT') })
      },
    }
  })
}

function execArgs({ conversation, model, equipment }: TurnOrder): string[] {
  return [
    'exec',
    ...(conversation.id === undefined ? [] : ['resume']),
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...(equipment.hooks.length > 0 ? ['--dangerously-bypass-hook-trust'] : []),
    '-m',
    model,
    ...(conversation.id === undefined ? [] : [conversation.id]),
    '-',
  ]
}

const graceMs = 5000

type ExecEvents = {
  /** Undefined if codex ends before it names the thread. */
  threadId: Promise<string | undefined>
  interrupted(): void
  outcome(): Promise<{ turn: CodexTurn | undefined; isInterrupted: boolean }>
}

const Event = z.object({
  type: z.string(),
  thread_id: z.string().optional(),
  message: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
})

function watchEvents(order: TurnOrder, child: Child): ExecEvents {
  let setThreadId = (_: string | undefined): void => undefined
  const named = new Promise<string | undefined>((resolve) => {
    setThreadId = resolve
  })
  let turn: CodexTurn | undefined
  let isInterrupted = false

  const handle = ({ type, thread_id: threadId, message, error }: z.infer<typeof Event>): void => {
    if (type === 'thread.started') setThreadId(threadId)
    else if (type === 'turn.completed') turn = { id: '', status: 'completed' }
    else if (type === 'turn.failed') turn = { id: '', status: 'failed', error }
    else if (type === 'error' && message?.startsWith('Reconnecting')) {
      order.onNotice(`Codex retries its call to the model. ${asSentence(message)}`)
    }
  }
  const readAll = async (): Promise<void> => {
    try {
      for await (const { text } of child.lines) {
        order.onActivity()
        const event = parseEvent(text)
        if (event) handle(event)
      }
    } finally {
      setThreadId(undefined)
    }
  }
  const allRead = readAll()
  allRead.catch(() => undefined) // `outcome` awaits it; this only avoids an unhandled rejection
  return {
    threadId: named,
    interrupted: () => {
      isInterrupted = true
    },
    outcome: async () => {
      await allRead
      return { turn, isInterrupted }
    },
  }
}

function parseEvent(text: string): z.infer<typeof Event> | undefined {
  return Event.safeParse(parseJson(text)).data
}

async function finish(child: Child, events: ExecEvents): Promise<TurnEnd> {
  const [exit, outcome] = await Promise.all([child.exited, events.outcome()])
  // Kill what the agent left running.
  await child.stop({ graceMs: 0 })
  return decideTurnEnd({ ...outcome, outage: undefined, exit, stderr: child.stderrTail() })
}
