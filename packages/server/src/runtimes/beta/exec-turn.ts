import { z } from 'zod'
import type { Child } from '../../platform/process/launch.ts'
import { launchAgent } from '../launch-agent.ts'
import type { RunningTurn, TurnEnd, TurnOrder } from '../runtime.ts'
import type { Codex } from './codex.ts'
import { asSentence, type CodexTurn, judgeEnd } from './turn-end.ts'

/**
 * A turn by `codex exec --json`: the prompt goes in, events come out. It works on when we die. It can answer no
 * questions, does not notice changed instructions, trusts the repository's hooks along with ours, and names a new thread
 * only when it has its prompt.
 */
export async function startExecTurn(codex: Codex, order: TurnOrder): Promise<RunningTurn> {
  const program = await codex.program(order, execArgs(order))
  return launchAgent(order, program, async (child) => {
    const hearing = hear(order, child)
    child.stdin?.on('error', () => undefined) // its exit says why it did not want the prompt
    child.stdin?.end(order.prompt)
    const name = await hearing.named
    if (name !== undefined && name !== order.conversation.id) await order.onNamed(name)
    return {
      identity: child.identity,
      ended: finish(child, hearing),
      interrupt: async () => {
        hearing.interrupted()
        // On SIGINT it ends its tools and notes in the rollout that it was interrupted; on SIGTERM it does neither.
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

type Hearing = {
  /** Undefined if it ends before it has a name. */
  named: Promise<string | undefined>
  interrupted(): void
  ending(): Promise<{ turn: CodexTurn | undefined; isInterrupted: boolean }>
}

const Event = z.object({
  type: z.string(),
  thread_id: z.string().optional(),
  message: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
})

function hear(order: TurnOrder, child: Child): Hearing {
  let nameIt = (_: string | undefined): void => undefined
  const named = new Promise<string | undefined>((resolve) => {
    nameIt = resolve
  })
  let turn: CodexTurn | undefined
  let isInterrupted = false

  const hearEvent = ({ type, thread_id: threadId, message, error }: z.infer<typeof Event>): void => {
    if (type === 'thread.started') nameIt(threadId)
    else if (type === 'turn.completed') turn = { id: '', status: 'completed' }
    else if (type === 'turn.failed') turn = { id: '', status: 'failed', error }
    else if (type === 'error' && message?.startsWith('Reconnecting')) {
      order.onNotice(`Codex tries its call to the model again. ${asSentence(message)}`)
    }
  }
  const listen = async (): Promise<void> => {
    try {
      for await (const { text } of child.lines) {
        order.onActivity()
        const event = read(text)
        if (event) hearEvent(event)
      }
    } finally {
      nameIt(undefined)
    }
  }
  const heard = listen()
  heard.catch(() => undefined) // heard by whoever waits for it
  return {
    named,
    interrupted: () => {
      isInterrupted = true
    },
    ending: async () => {
      await heard
      return { turn, isInterrupted }
    },
  }
}

function read(text: string): z.infer<typeof Event> | undefined {
  try {
    return Event.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

async function finish(child: Child, hearing: Hearing): Promise<TurnEnd> {
  const [exit, heard] = await Promise.all([child.exited, hearing.ending()])
  // Whatever the agent started goes with it.
  await child.stop({ graceMs: 0 })
  return judgeEnd({ ...heard, outage: undefined, exit, stderr: child.stderrTail() })
}
