import { isDeepStrictEqual } from 'node:util'
import { createMutex } from '../../platform/concurrency/mutex.ts'
import { childEnvironment } from '../../platform/process/environment.ts'
import { type CommandResult, runCommand } from '../../platform/process/run-command.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Hook, HookEvent } from '../equipment.ts'
import { agentEventNames, hookProgram } from '../hooks.ts'
import { quote } from '../quote.ts'
import type { TurnOrder } from '../runtime.ts'
import { appliesTo } from './hook-matcher.ts'
import type { ToolCall, ToolResult } from './tool-calls.ts'

/** The events that the protocol reports. */
const { notification: _, ...eventNames } = agentEventNames
type SupportedEvent = keyof typeof eventNames

export function isSupported(event: HookEvent): event is SupportedEvent {
  return Object.hasOwn(eventNames, event)
}

export type TurnHooks = {
  /** Call it before the prompt, once the conversation has an id. */
  begin(conversationId: string): Promise<void>
  callSeen(call: ToolCall): void
  resultSeen(result: ToolResult, call: ToolCall): void
  /** Whether the agent may make the call. False if the turn ends before the hooks have decided. */
  mayCall(call: ToolCall): Promise<boolean>
  isBusy(): boolean
  /** Settles when no hook runs or waits. */
  idle(): Promise<void>
  /** Call it after the prompt is answered. */
  end(): Promise<void>
  /** Stops running hooks and starts no more. */
  close(): Promise<void>
}

type HookContext = Pick<TurnOrder, 'conversation' | 'equipment' | 'marker' | 'confine' | 'onActivity' | 'onNotice'> & {
  interruption: AbortSignal
}

/**
 * Runs the hooks of a turn. The protocol has no hooks, but reports the events. Hooks run one after another in the order of the
 * events, with the input on standard input that other agents give to hooks. Exit code 2 refuses the call; any other failure does
 * not. No hook runs after an interrupt.
 */
export function turnHooks({
  conversation,
  equipment,
  marker,
  confine,
  interruption,
  ...callbacks
}: HookContext): TurnHooks {
  const decisions = new Map<string, { call: ToolCall; isGranted: Promise<boolean> }>()
  const closing = new AbortController()
  const signal = AbortSignal.any([interruption, closing.signal])
  let sessionId = conversation.id
  const inOrder = createMutex()
  let waiting = 0

  const run = async (hook: Hook, input: string): Promise<boolean> => {
    const [command, ...args] = hookProgram(hook, hook.folder)
    const set = { ...equipment.environment, ...hook.env, HOME: conversation.home }
    // The agent waits for the hook, which has its own timeout; do not count that as the agent's silence.
    const activityTimer = setInterval(callbacks.onActivity, activityMs)
    try {
      const env = childEnvironment({ set })
      const result = await runCommand({
        ...(await confine({ command, args, cwd: conversation.workingDirectory, env })),
        timeoutMs: (hook.timeoutSeconds ?? defaultSeconds) * 1000,
        maxOutputBytes,
        mayOverflow: true,
        partOf: marker,
        input,
        signal,
      })
      const notice = noticeOf(hook, result)
      if (notice !== undefined) callbacks.onNotice(notice)
      return result.code !== refusalCode
    } catch (error) {
      if (!(error instanceof SpawnFailed)) throw error
      callbacks.onNotice(`The hook ${hook.id} did not run: ${error.message}`)
      return true
    } finally {
      clearInterval(activityTimer)
    }
  }

  /** Resolves to whether no hook refused. */
  const fire = (event: SupportedEvent, call?: ToolCall, facts: Record<string, unknown> = {}): Promise<boolean> => {
    const hooks = equipment.hooks.filter(
      (hook) => hook.event === event && (!call || appliesTo(hook.matcher, call.names)),
    )
    if (hooks.length === 0 || signal.aborted) return Promise.resolve(true)
    const input = JSON.stringify({
      session_id: sessionId,
      cwd: conversation.workingDirectory,
      hook_event_name: eventNames[event],
      ...(call && factsOf(call)),
      ...facts,
    })
    waiting += 1
    const verdict = inOrder(async () => {
      let isGranted = true
      for (const hook of hooks) isGranted = (await run(hook, input)) && isGranted
      return isGranted
    }).finally(() => {
      waiting -= 1
    })
    verdict.catch(() => undefined) // callers that need the verdict await it; this only avoids an unhandled rejection
    return verdict
  }

  const hasGuards = equipment.hooks.some(({ event }) => event === 'pre_tool_call')

  /** Asks the hooks once per call, and again when an update adds to the call. */
  const decide = (call: ToolCall): Promise<boolean> => {
    if (!hasGuards) return Promise.resolve(true)
    const known = decisions.get(call.id)
    if (known && isSame(known.call, call)) return known.isGranted
    const isGranted = fire('pre_tool_call', call)
    decisions.set(call.id, { call, isGranted })
    return isGranted
  }

  const idle = async (): Promise<void> => {
    while (waiting > 0) await inOrder(async () => {})
  }

  return {
    async begin(conversationId) {
      sessionId = conversationId
      await fire('session_start')
    },
    callSeen: (call) => void decide(call),
    mayCall: async (call) => (await decide(call)) && !signal.aborted,
    resultSeen({ content, is_error: isError }, call) {
      decisions.delete(call.id)
      void fire('post_tool_call', call, { tool_response: { content, is_error: isError } })
    },
    isBusy: () => waiting > 0,
    idle,
    async end() {
      await fire('stop')
      await fire('session_end')
    },
    async close() {
      closing.abort()
      await idle()
    },
  }
}

/** The same code as for the hooks of other agents. */
const refusalCode = 2

const defaultSeconds = 60
const maxOutputBytes = 64 * 1024
const activityMs = 1000

function factsOf({ id, names, title, input }: ToolCall): Record<string, unknown> {
  return { tool_use_id: id, tool_name: names[0] ?? 'tool', tool_title: title, tool_input: input ?? {} }
}

/** Ignores the title if there is input: an agent may change the title while the call runs. */
function isSame(one: ToolCall, other: ToolCall): boolean {
  const known = ({ names, title, input }: ToolCall) => ({ names, input: input ?? { title } })
  return isDeepStrictEqual(known(one), known(other))
}

function noticeOf({ id }: Hook, { code, signal, timedOut, aborted, stderr }: CommandResult): string | undefined {
  if (code === 0 || aborted) return undefined
  const how = timedOut ? 'took too long' : signal ? `was killed by ${signal}` : `exited with code ${code}`
  const output = quote(stderr)
  return `The hook ${id} ${code === refusalCode ? 'objected' : how}${output && `: ${output}`}`
}
