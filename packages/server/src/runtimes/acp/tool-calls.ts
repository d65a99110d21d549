import { cut, describeToolContent } from './content-text.ts'
import type { ToolUpdate } from './messages.ts'

/** A call as the transcript holds it; long input is truncated. */
export type ToolUse = { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
export type ToolResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean }

/** Everything the agent has reported about a call so far, in full. */
export type ToolCall = {
  id: string
  /** The tool's name and its kind, if the agent reports them. */
  names: string[]
  title: string
  input: unknown
}

export type ToolCalls = {
  handle(update: ToolUpdate): void
  /** The call that an update describes, merged with earlier updates. Writes nothing. */
  callOf(update: ToolUpdate): ToolCall
  /** Closes open calls: a call without a result looks as if it were still running. */
  finish(): void
}

type Call = Omit<ToolUpdate, 'sessionUpdate'> & { isWritten: boolean; isOver: boolean }

/**
 * An agent reports a tool call in any number of updates, often the input after the name. The call is written once its input is
 * known or it runs, and its result once it has ended.
 */
export function toolCalls({
  onCall,
  onChange,
  onResult,
}: {
  onCall(use: ToolUse, call: ToolCall): void
  /** An update adds to a call that was written. */
  onChange(call: ToolCall): void
  onResult(result: ToolResult, call: ToolCall): void
}): ToolCalls {
  const calls = new Map<string, Call>()

  const write = (call: Call): void => {
    if (call.isWritten) return
    call.isWritten = true
    const { toolCallId: id, name, kind } = call
    onCall({ type: 'tool_use', id, name: name || kind || 'tool', input: inputOf(call) }, describe(call))
  }

  const close = (call: Call, content: string, isError: boolean): void => {
    write(call)
    onResult({ type: 'tool_result', tool_use_id: call.toolCallId, content, is_error: isError }, describe(call))
    // Free the input and output, which may hold whole files.
    const { toolCallId, name, kind, title } = call
    calls.set(toolCallId, { ...newCall, toolCallId, name, kind, title, isWritten: true, isOver: true })
  }

  const merged = (update: ToolUpdate): Call => ({
    ...(calls.get(update.toolCallId) ?? newCall),
    ...changesIn(update),
    toolCallId: update.toolCallId,
  })

  return {
    handle(update) {
      const call = merged(update)
      if (call.isOver) return
      calls.set(update.toolCallId, call)
      const hasEnded = call.status === 'completed' || call.status === 'failed'
      if (hasEnded) close(call, resultOf(call), call.status === 'failed')
      else if (call.isWritten) onChange(describe(call))
      else if (call.status === 'in_progress' || !isEmpty(call.rawInput)) write(call)
    },
    callOf: (update) => describe(merged(update)),
    finish() {
      for (const call of calls.values()) if (!call.isOver) close(call, 'The turn ended before the tool did.', true)
    },
  }
}

const newCall = { toolCallId: '', rawInput: undefined, rawOutput: undefined, isWritten: false, isOver: false }

/** An update changes only the fields that it contains. */
function changesIn({ sessionUpdate: _, ...update }: ToolUpdate): Partial<Call> {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null))
}

function describe({ toolCallId, name, kind, title, rawInput }: Omit<ToolUpdate, 'sessionUpdate'>): ToolCall {
  const names = [name, kind].flatMap((one) => one || [])
  return { id: toolCallId, names, title: title ?? '', input: rawInput }
}

function inputOf({ title, rawInput }: Call): Record<string, unknown> {
  const input = { ...(title && { title }), ...(isFields(rawInput) ? rawInput : rawInput !== undefined && { rawInput }) }
  const text = JSON.stringify(input)
  return text.length <= maxCharacters ? input : { title: title ?? '', input: cut(text, maxCharacters) }
}

function resultOf({ content, rawOutput }: Call): string {
  const text = (content ?? []).map(describeToolContent).filter(Boolean).join('\n')
  const raw = typeof rawOutput === 'string' ? rawOutput : rawOutput === undefined ? '' : JSON.stringify(rawOutput)
  return cut(text || raw, maxCharacters)
}

/** Tools read and write whole files. */
const maxCharacters = 512 * 1024

function isEmpty(input: unknown): boolean {
  return input === undefined || input === null || (isFields(input) && Object.keys(input).length === 0)
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
