import { randomUUID } from 'node:crypto'
import { quote } from '../quote.ts'
import { describeContent } from './content-text.ts'
import type { Content, TokenUsage, ToolUpdate, Update } from './messages.ts'
import { type ToolCall, type ToolResult, toolCalls } from './tool-calls.ts'
import type { Entry } from './transcript.ts'

export type Recorder = {
  hear(update: Update): void
  /** The call that an update is about, with what was told of it before; nothing is written down. */
  look(update: ToolUpdate): ToolCall
  /** Ends the text that is being spoken: something else comes after it. */
  pause(): void
  /** Writes down what was begun. What comes later is not heard any more. */
  finish(usage?: TokenUsage): void
  /** Whether the agent said or did anything. */
  hasOutput(): boolean
}

type Speech = { kind: 'text' | 'thinking'; messageId: string | undefined; text: string }

/** Agents talk in pieces. What is written down are whole blocks: a text when something else begins, a tool's answer when it is complete. */
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
  /** Told again when more is known of it. */
  onCall(call: ToolCall): void
  onResult(result: ToolResult, call: ToolCall): void
}): Recorder {
  let speech: Speech | undefined
  let hasOutput = false
  let isFinished = false

  const say = (blocks: readonly Record<string, unknown>[], more: Record<string, unknown> = {}): void => {
    const { requestId, ...rest } = more
    append({
      type: 'assistant',
      ...(requestId !== undefined && { requestId }),
      message: { role: 'assistant', model, content: blocks, ...rest },
    })
  }

  const takeSpeech = (): Record<string, unknown>[] => {
    const { kind, text } = speech ?? { kind: 'text', text: '' }
    speech = undefined
    return text.trim() === '' ? [] : [{ type: kind, [kind]: text }]
  }

  const endSpeech = (): void => {
    const blocks = takeSpeech()
    if (blocks.length > 0) say(blocks)
  }

  const tools = toolCalls({
    onCall: (use, call) => {
      endSpeech()
      say([use])
      onCall(call)
    },
    onMore: onCall,
    onResult: (result, call) => {
      endSpeech()
      append({ type: 'user', message: { role: 'user', content: [result] } })
      onResult(result, call)
    },
  })

  const speak = (kind: Speech['kind'], content: Content, messageId: string | null | undefined): void => {
    const id = messageId ?? undefined
    if (speech && (speech.kind !== kind || speech.messageId !== id || speech.text.length > maxSpeechCharacters))
      endSpeech()
    speech = { kind, messageId: id, text: (speech?.text ?? '') + describeContent(content) }
    hasOutput ||= speech.text.trim() !== ''
  }

  return {
    hear(update) {
      if (isFinished) return
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return speak('text', update.content, update.messageId)
        case 'agent_thought_chunk':
          return speak('thinking', update.content, update.messageId)
        case 'tool_call':
        case 'tool_call_update':
          hasOutput = true
          return tools.hear(update)
        case 'plan':
          hasOutput = true
          endSpeech()
          return say([
            { type: 'tool_use', id: `plan_${randomUUID()}`, name: 'plan', input: { entries: update.entries } },
          ])
        case 'notice':
          return onNotice(quote([update.title, update.description].filter(Boolean).join(': ')))
      }
    },
    look: tools.look,
    pause: endSpeech,
    finish(usage) {
      if (isFinished) return
      isFinished = true
      tools.finish()
      if (!usage) return endSpeech()
      say(takeSpeech(), { requestId: `acp_${randomUUID()}`, usage: usageFields(usage) })
    },
    hasOutput: () => hasOutput,
  }
}

/** A text that never ends is written down in parts, so that it is not all lost if we die. */
const maxSpeechCharacters = 64 * 1024

function usageFields(usage: TokenUsage): Record<string, number> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cachedReadTokens ?? 0,
    cache_creation_input_tokens: usage.cachedWriteTokens ?? 0,
  }
}
