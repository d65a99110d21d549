import { randomUUID } from 'node:crypto'
import { quote } from '../quote.ts'
import { describeContent } from './content-text.ts'
import type { Content, TokenUsage, ToolUpdate, Update } from './messages.ts'
import { type ToolCall, type ToolResult, toolCalls } from './tool-calls.ts'
import type { Entry } from './transcript.ts'

export type Recorder = {
  handle(update: Update): void
  /** The call that an update describes, merged with earlier updates. Writes nothing. */
  callOf(update: ToolUpdate): ToolCall
  /** Writes the text collected so far. */
  flush(): void
  /** Writes what is incomplete. Later updates are ignored. */
  finish(usage?: TokenUsage): void
  /** Whether the agent produced any text or tool call. */
  hasOutput(): boolean
}

type OpenText = { kind: 'text' | 'thinking'; messageId: string | undefined; text: string }

/** Agents send chunks. The transcript gets whole blocks: a text when something else begins, a tool result when it is complete. */
export function record({
  append,
  onNotice,
  model,
  onCall,
  onResult,
}: {
  append(entry: Entry): void
  onNotice(sentence: string): void
  model: string
  /** Called again when an update adds to the call. */
  onCall(call: ToolCall): void
  onResult(result: ToolResult, call: ToolCall): void
}): Recorder {
  let openText: OpenText | undefined
  let hasOutput = false
  let isFinished = false

  const appendBlocks = (blocks: readonly Record<string, unknown>[], more: Record<string, unknown> = {}): void => {
    const { requestId, ...rest } = more
    append({
      type: 'assistant',
      ...(requestId !== undefined && { requestId }),
      message: { role: 'assistant', model, content: blocks, ...rest },
    })
  }

  const takeText = (): Record<string, unknown>[] => {
    const { kind, text } = openText ?? { kind: 'text', text: '' }
    openText = undefined
    return text.trim() === '' ? [] : [{ type: kind, [kind]: text }]
  }

  const flushText = (): void => {
    const blocks = takeText()
    if (blocks.length > 0) appendBlocks(blocks)
  }

  const tools = toolCalls({
    onCall: (use, call) => {
      flushText()
      appendBlocks([use])
      onCall(call)
    },
    onChange: onCall,
    onResult: (result, call) => {
      flushText()
      append({ type: 'user', message: { role: 'user', content: [result] } })
      onResult(result, call)
    },
  })

  const addChunk = (kind: OpenText['kind'], content: Content, messageId: string | null | undefined): void => {
    const id = messageId ?? undefined
    if (openText && (openText.kind !== kind || openText.messageId !== id || openText.text.length > maxOpenCharacters))
      flushText()
    openText = { kind, messageId: id, text: (openText?.text ?? '') + describeContent(content) }
    hasOutput ||= openText.text.trim() !== ''
  }

  return {
    handle(update) {
      if (isFinished) return
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return addChunk('text', update.content, update.messageId)
        case 'agent_thought_chunk':
          return addChunk('thinking', update.content, update.messageId)
        case 'tool_call':
        case 'tool_call_update':
          hasOutput = true
          return tools.handle(update)
        case 'plan':
          hasOutput = true
          flushText()
          return appendBlocks([
            { type: 'tool_use', id: `plan_${randomUUID()}`, name: 'plan', input: { entries: update.entries } },
          ])
        case 'notice':
          return onNotice(quote([update.title, update.description].filter(Boolean).join(': ')))
      }
    },
    callOf: tools.callOf,
    flush: flushText,
    finish(usage) {
      if (isFinished) return
      isFinished = true
      tools.finish()
      if (!usage) return flushText()
      appendBlocks(takeText(), { requestId: `acp_${randomUUID()}`, usage: usageFields(usage) })
    },
    hasOutput: () => hasOutput,
  }
}

/** Writes a longer text in parts, to limit what a crash loses. */
const maxOpenCharacters = 64 * 1024

function usageFields(usage: TokenUsage): Record<string, number> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cachedReadTokens ?? 0,
    cache_creation_input_tokens: usage.cachedWriteTokens ?? 0,
  }
}
