import { cut, describeToolContent } from './content-text.ts'
import type { ToolUpdate } from './messages.ts'

/** A call as it stands in a transcript: what is too long is cut. */
export type ToolUse = { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
export type ToolResult = { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean }

/** All that the agent told of a call so far, uncut. */
export type ToolCall = {
  id: string
  /** The tool's own name and the kind of its work, as far as either is told. */
  names: string[]
  title: string
  input: unknown
}

export type ToolCalls = {
  hear(update: ToolUpdate): void
  /** The call that an update is about, with what was told of it before; nothing is written down. */
  look(update: ToolUpdate): ToolCall
  /** Closes what is still open: a call without a result reads as one that is still going on. */
  finish(): void
}

type Call = Omit<ToolUpdate, 'sessionUpdate'> & { isShown: boolean; isOver: boolean }

/**
 * A tool call comes in as many updates as the agent likes, its input often later than its name. It is shown once it is
 * known what it is about, and its result once it has ended.
 */
export function toolCalls({
  onCall,
  onMore,
  onResult,
}: {
  onCall(use: ToolUse, call: ToolCall): void
  /** More is known of a call that has been told of. */
  onMore(call: ToolCall): void
  onResult(result: ToolResult, call: ToolCall): void
}): ToolCalls {
  const calls = new Map<string, Call>()

  const show = (call: Call): void => {
    if (call.isShown) return
    call.isShown = true
    const { toolCallId: id, name, kind } = call
    onCall({ type: 'tool_use', id, name: name || kind || 'tool', input: inputOf(call) }, told(call))
  }

  const close = (call: Call, content: string, isError: boolean): void => {
    show(call)
    onResult({ type: 'tool_result', tool_use_id: call.toolCallId, content, is_error: isError }, told(call))
    // Some calls carry whole files, which nobody needs any more.
    const { toolCallId, name, kind, title } = call
    calls.set(toolCallId, { ...begun, toolCallId, name, kind, title, isShown: true, isOver: true })
  }

  const merged = (update: ToolUpdate): Call => ({
    ...(calls.get(update.toolCallId) ?? begun),
    ...given(update),
    toolCallId: update.toolCallId,
  })

  return {
    hear(update) {
      const call = merged(update)
      if (call.isOver) return
      calls.set(update.toolCallId, call)
      const hasEnded = call.status === 'completed' || call.status === 'failed'
      if (hasEnded) close(call, resultOf(call), call.status === 'failed')
      else if (call.isShown) onMore(told(call))
      else if (call.status === 'in_progress' || !isEmpty(call.rawInput)) show(call)
    },
    look: (update) => told(merged(update)),
    finish() {
      for (const call of calls.values()) if (!call.isOver) close(call, 'The turn ended before the tool did.', true)
    },
  }
}

const begun = { toolCallId: '', rawInput: undefined, rawOutput: undefined, isShown: false, isOver: false }

/** An update changes what it names and leaves the rest. */
function given({ sessionUpdate: _, ...update }: ToolUpdate): Partial<Call> {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined && value !== null))
}

function told({ toolCallId, name, kind, title, rawInput }: Omit<ToolUpdate, 'sessionUpdate'>): ToolCall {
  const names = [name, kind].flatMap((one) => one || [])
  return { id: toolCallId, names, title: title ?? '', input: rawInput }
}

function inputOf({ title, rawInput }: Call): Record<string, unknown> {
  const input = { ...(title && { title }), ...(isFields(rawInput) ? rawInput : rawInput !== undefined && { rawInput }) }
  const text = JSON.stringify(input)
  return text.length <= maxCharacters ? input : { title: title ?? '', input: cut(text, maxCharacters) }
}

function resultOf({ content, rawOutput }: Call): string {
  const shown = (content ?? []).map(describeToolContent).filter(Boolean).join('\n')
  const raw = typeof rawOutput === 'string' ? rawOutput : rawOutput === undefined ? '' : JSON.stringify(rawOutput)
  return cut(shown || raw, maxCharacters)
}

/** Files are read and written through tools. */
const maxCharacters = 512 * 1024

function isEmpty(input: unknown): boolean {
  return input === undefined || input === null || (isFields(input) && Object.keys(input).length === 0)
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
