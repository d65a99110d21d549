import { childEnvironment } from '../../platform/process/environment.ts'
import { type CommandResult, runCommand } from '../../platform/process/run-command.ts'
import { SpawnFailed } from '../../platform/process/spawn-failed.ts'
import type { Hook, HookEvent } from '../equipment.ts'
import { hookProgram, momentNames } from '../hooks.ts'
import type { TurnOrder } from '../runtime.ts'
import type { ToolResult, ToolUse } from './tool-calls.ts'

/** The moments that the protocol lets us see. */
const { notification: _, ...eventNames } = momentNames
type Moment = keyof typeof eventNames

export function isSeen(event: HookEvent): event is Moment {
  return Object.hasOwn(eventNames, event)
}

export type TurnHooks = {
  /** Before the agent has its prompt, when its conversation has a name. */
  begin(conversationId: string): Promise<void>
  called(call: ToolUse): void
  answered(result: ToolResult): void
  /** Whether a call may be made, for agents that ask before they make it. */
  mayCall(call: ToolUse): Promise<boolean>
  /** After the agent's last word. */
  end(): Promise<void>
}

type Occasion = Pick<TurnOrder, 'conversation' | 'equipment' | 'onNotice'> & { interruption: AbortSignal }

/**
 * The hooks of a turn, run by us: the protocol has none, but it tells of what they are about. One after another, in the
 * order of the moments; each is told on its standard input what other agents tell their hooks. One that exits with 2
 * refuses the call it was asked about. After an interrupt none runs.
 */
export function turnHooks({ conversation, equipment, onNotice, interruption }: Occasion): TurnHooks {
  const calls = new Map<string, { call: ToolUse; isGranted: Promise<boolean> }>()
  let sessionId = conversation.id
  let last: Promise<unknown> = Promise.resolve()

  const run = async (hook: Hook, input: string): Promise<boolean> => {
    const [command, ...args] = hookProgram(hook, hook.folder)
    const set = { ...equipment.environment, ...hook.env, HOME: conversation.home }
    try {
      const result = await runCommand({
        command,
        args,
        cwd: conversation.workingDirectory,
        env: childEnvironment({ set }),
        timeoutMs: (hook.timeoutSeconds ?? defaultSeconds) * 1000,
        maxOutputBytes,
        input,
        signal: interruption,
      })
      const complaint = complaintOf(hook, result)
      if (complaint !== undefined) onNotice(complaint)
      return result.code !== refusalCode
    } catch (error) {
      if (!(error instanceof SpawnFailed)) throw error
      onNotice(`The hook ${hook.id} did not run: ${error.message}`)
      return true
    }
  }

  /** Whether nobody objected. */
  const fire = (moment: Moment, facts: Record<string, unknown> = {}, tool?: string): Promise<boolean> => {
    const hooks = equipment.hooks.filter((hook) => hook.event === moment && isAbout(hook, tool))
    const payload = {
      session_id: sessionId,
      cwd: conversation.workingDirectory,
      hook_event_name: eventNames[moment],
      ...facts,
    }
    const verdict = last.then(async () => {
      let isGranted = true
      for (const hook of hooks) isGranted = (await run(hook, JSON.stringify(payload))) && isGranted
      return isGranted
    })
    last = verdict.catch(() => undefined)
    return verdict
  }

  const asked = (call: ToolUse): Promise<boolean> => {
    const known = calls.get(call.id)
    if (known) return known.isGranted
    const isGranted = fire('pre_tool_call', factsOf(call), call.name)
    isGranted.catch(() => undefined) // heard by whoever asks, if anybody does
    calls.set(call.id, { call, isGranted })
    return isGranted
  }

  return {
    async begin(conversationId) {
      sessionId = conversationId
      await fire('session_start')
    },
    called: (call) => void asked(call),
    mayCall: asked,
    answered({ tool_use_id: id, content, is_error: isError }) {
      const call = calls.get(id)?.call
      if (!call) return
      calls.delete(id)
      void fire('post_tool_call', { ...factsOf(call), tool_response: { content, is_error: isError } }, call.name)
    },
    async end() {
      await fire('stop')
      await fire('session_end')
    },
  }
}

/** What an agent's own hooks mean by it, too. */
const refusalCode = 2

const defaultSeconds = 60
const maxOutputBytes = 64 * 1024

function factsOf({ id, name, input }: ToolUse): Record<string, unknown> {
  return { tool_use_id: id, tool_name: name, tool_input: input }
}

/** A hook that is about certain tools has their name, or a pattern for the whole of it. */
function isAbout({ matcher }: Hook, tool: string | undefined): boolean {
  if (tool === undefined || matcher === undefined || matcher === tool) return true
  try {
    return new RegExp(`^(?:${matcher})$`).test(tool)
  } catch {
    return false
  }
}

function complaintOf({ id }: Hook, { code, signal, timedOut, aborted, stderr }: CommandResult): string | undefined {
  if (code === 0 || aborted) return undefined
  const how = timedOut ? 'took too long' : signal ? `was killed by ${signal}` : `exited with code ${code}`
  const said = stderr.trim().slice(0, maxQuoteCharacters)
  if (code === refusalCode) return `The hook ${id} objected${said && `: ${said}`}`
  return `The hook ${id} ${how}${said && `: ${said}`}`
}

const maxQuoteCharacters = 500
