import { isDeepStrictEqual } from 'node:util'
import { childEnvironment } from '../../platform/process/environment.ts'
import { type CommandResult, runCommand } from '../../platform/process/run-command.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Hook, HookEvent } from '../equipment.ts'
import { hookProgram, momentNames } from '../hooks.ts'
import { quote } from '../quote.ts'
import type { TurnOrder } from '../runtime.ts'
import { isAbout } from './hook-matcher.ts'
import type { ToolCall, ToolResult } from './tool-calls.ts'

/** The moments that the protocol lets us see. */
const { notification: _, ...eventNames } = momentNames
type Moment = keyof typeof eventNames

export function isSeen(event: HookEvent): event is Moment {
  return Object.hasOwn(eventNames, event)
}

export type TurnHooks = {
  /** Before the agent has its prompt, when its conversation has a name. */
  begin(conversationId: string): Promise<void>
  called(call: ToolCall): void
  answered(result: ToolResult, call: ToolCall): void
  /** Whether a call may be made, for agents that ask before they make it. Not when the turn is over before it is known. */
  mayCall(call: ToolCall): Promise<boolean>
  isBusy(): boolean
  /** Settles when none is running or waiting. */
  quiet(): Promise<void>
  /** After the agent's last word. */
  end(): Promise<void>
  /** Ends what runs, and lets nothing more run. */
  close(): Promise<void>
}

type Occasion = Pick<TurnOrder, 'conversation' | 'equipment' | 'marker' | 'onActivity' | 'onNotice'> & {
  interruption: AbortSignal
}

/**
 * The hooks of a turn, run by us: the protocol has none, but it tells of what they are about. One after another, in the
 * order of the moments; each is told on its standard input what other agents tell their hooks. One that exits with 2
 * refuses the call it was asked about; one that fails in another way does not. After an interrupt none runs.
 */
export function turnHooks({ conversation, equipment, marker, interruption, ...ears }: Occasion): TurnHooks {
  const asked = new Map<string, { call: ToolCall; isGranted: Promise<boolean> }>()
  const closing = new AbortController()
  const signal = AbortSignal.any([interruption, closing.signal])
  let sessionId = conversation.id
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  const run = async (hook: Hook, input: string): Promise<boolean> => {
    const [command, ...args] = hookProgram(hook, hook.folder)
    const set = { ...equipment.environment, ...hook.env, HOME: conversation.home }
    // It has its own time limit; the agent is not silent while we keep it waiting.
    const signOfLife = setInterval(ears.onActivity, signOfLifeMs)
    try {
      const result = await runCommand({
        command,
        args,
        cwd: conversation.workingDirectory,
        env: childEnvironment({ set }),
        timeoutMs: (hook.timeoutSeconds ?? defaultSeconds) * 1000,
        maxOutputBytes,
        mayOverflow: true,
        partOf: marker,
        input,
        signal,
      })
      const complaint = complaintOf(hook, result)
      if (complaint !== undefined) ears.onNotice(complaint)
      return result.code !== refusalCode
    } catch (error) {
      if (!(error instanceof SpawnFailed)) throw error
      ears.onNotice(`The hook ${hook.id} did not run: ${error.message}`)
      return true
    } finally {
      clearInterval(signOfLife)
    }
  }

  /** Whether nobody objected. */
  const fire = (moment: Moment, call?: ToolCall, facts: Record<string, unknown> = {}): Promise<boolean> => {
    const hooks = equipment.hooks.filter(
      ({ event, matcher }) => event === moment && (!call || isAbout(matcher, call.names)),
    )
    if (hooks.length === 0 || signal.aborted) return Promise.resolve(true)
    const input = JSON.stringify({
      session_id: sessionId,
      cwd: conversation.workingDirectory,
      hook_event_name: eventNames[moment],
      ...(call && factsOf(call)),
      ...facts,
    })
    waiting += 1
    const verdict = last
      .then(async () => {
        let isGranted = true
        for (const hook of hooks) isGranted = (await run(hook, input)) && isGranted
        return isGranted
      })
      .finally(() => {
        waiting -= 1
      })
    last = verdict.catch(() => undefined)
    return verdict
  }

  const hasGuards = equipment.hooks.some(({ event }) => event === 'pre_tool_call')

  /** Asked once about what is known of a call, and again when more is. */
  const ask = (call: ToolCall): Promise<boolean> => {
    if (!hasGuards) return Promise.resolve(true)
    const known = asked.get(call.id)
    if (known && isSame(known.call, call)) return known.isGranted
    const isGranted = fire('pre_tool_call', call)
    isGranted.catch(() => undefined) // heard by whoever asks, if anybody does
    asked.set(call.id, { call, isGranted })
    return isGranted
  }

  const quiet = async (): Promise<void> => {
    for (let seen: unknown; seen !== last; ) {
      seen = last
      await last
    }
  }

  return {
    async begin(conversationId) {
      sessionId = conversationId
      await fire('session_start')
    },
    called: (call) => void ask(call),
    mayCall: async (call) => (await ask(call)) && !signal.aborted,
    answered({ content, is_error: isError }, call) {
      asked.delete(call.id)
      void fire('post_tool_call', call, { tool_response: { content, is_error: isError } })
    },
    isBusy: () => waiting > 0,
    quiet,
    async end() {
      await fire('stop')
      await fire('session_end')
    },
    async close() {
      closing.abort()
      await quiet()
    },
  }
}

/** What an agent's own hooks mean by it, too. */
const refusalCode = 2

const defaultSeconds = 60
const maxOutputBytes = 64 * 1024
const signOfLifeMs = 1000

function factsOf({ id, names, title, input }: ToolCall): Record<string, unknown> {
  return { tool_use_id: id, tool_name: names[0] ?? 'tool', tool_title: title, tool_input: input ?? {} }
}

/** A title is what an agent says to people about a call; it may change while the call goes on. */
function isSame(one: ToolCall, other: ToolCall): boolean {
  const known = ({ names, title, input }: ToolCall) => ({ names, input: input ?? { title } })
  return isDeepStrictEqual(known(one), known(other))
}

function complaintOf({ id }: Hook, { code, signal, timedOut, aborted, stderr }: CommandResult): string | undefined {
  if (code === 0 || aborted) return undefined
  const how = timedOut ? 'took too long' : signal ? `was killed by ${signal}` : `exited with code ${code}`
  const said = quote(stderr)
  return `The hook ${id} ${code === refusalCode ? 'objected' : how}${said && `: ${said}`}`
}
