import type { ServerResponse } from 'node:http'
import { openEventStream, sendPieces, stall } from './event-stream.ts'
import { inputsOf, type JsonSchema, type ModelRequest } from './model-request.ts'
import type { PlayedAnswer, PlayedPart } from './play.ts'
import { lastSaid } from './prompt.ts'
import type { TokenUsage } from './script.ts'
import { newId, type WireFormat } from './wire-format.ts'

/** Anthropic's Messages API. */
export const anthropicMessages: WireFormat = { name: 'messages', path: '/messages', read, stream, whole }

type Block = { type: string; text?: string; name?: string }
type Content = string | Block[]
type Body = {
  model?: string
  system?: Content
  messages?: { role: string; content: Content }[]
  tools?: { name: string; input_schema?: JsonSchema }[]
  max_tokens?: number
  stream?: boolean
  metadata?: { user_id?: string }
}

function read(given: unknown): ModelRequest {
  const body = given as Body // what CLIs send; what is missing reads as absent
  const messages = body.messages ?? []
  const prompts = messages.flatMap(({ role, content }, index) => {
    const said = role === 'user' ? lastSaid(textsOf(content)) : undefined
    return said === undefined ? [] : [{ said, index }]
  })
  const last = prompts.at(-1)
  const calls = messages
    .slice((last?.index ?? -1) + 1)
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_use')))
  return {
    model: body.model ?? '',
    conversation: body.metadata?.user_id ?? '',
    instructions: textsOf(body.system ?? []).join('\n'),
    prompt: last?.said ?? '',
    answersGiven: calls.filter((call) => !isSearch(call)).length,
    hasSearched: isSearch(calls.at(-1)),
    promptCount: prompts.length,
    tools: (body.tools ?? []).map(({ name, input_schema }) => ({
      name,
      isFreeform: false,
      inputs: inputsOf(input_schema),
    })),
    maxOutputTokens: body.max_tokens,
    isStream: body.stream === true,
  }
}

/** A search for a tool that is not offered at first. Not a line of the script. */
function isSearch(call: Block | undefined): boolean {
  return call?.name === 'ToolSearch'
}

function textsOf(content: Content): string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}

async function stream(response: ServerResponse, request: ModelRequest, answer: PlayedAnswer): Promise<void> {
  const out = openEventStream(response, { 'request-id': newId('req_') })
  const send = (data: { type: string; [key: string]: unknown }): void => out.send(data, data.type)
  const ping = (): void => send({ type: 'ping' })

  // The vendor starts with one output token and reports the true number at the end.
  send({ type: 'message_start', message: message(request, [], { ...answer.usage, output: 1 }, null) })
  ping()
  let index = 0
  for (const part of answer.parts) {
    if (part.kind === 'wait') {
      await stall(out, part.seconds, ping)
      continue
    }
    const block = blockOf(part)
    send({ type: 'content_block_start', index, content_block: emptied(block) })
    const delta = (value: Record<string, unknown>): void => send({ type: 'content_block_delta', index, delta: value })
    if (block.type === 'thinking') {
      await sendPieces(out, { kind: part.kind, text: block.thinking }, (thinking) =>
        delta({ type: 'thinking_delta', thinking }),
      )
      delta({ type: 'signature_delta', signature: block.signature })
    } else if (block.type === 'text') {
      await sendPieces(out, { kind: part.kind, text: block.text }, (text) => delta({ type: 'text_delta', text }))
    } else {
      await sendPieces(out, { kind: part.kind, text: JSON.stringify(block.input) }, (partial_json) =>
        delta({ type: 'input_json_delta', partial_json }),
      )
    }
    send({ type: 'content_block_stop', index })
    index += 1
  }
  const delta = { stop_reason: stopReason(answer), stop_sequence: null }
  send({ type: 'message_delta', delta, usage: usageOf(answer.usage) })
  send({ type: 'message_stop' })
  out.end()
}

function whole(request: ModelRequest, answer: PlayedAnswer): unknown {
  const blocks = answer.parts.flatMap((part) => (part.kind === 'wait' ? [] : [blockOf(part)]))
  return message(request, blocks, answer.usage, stopReason(answer))
}

function message(request: ModelRequest, content: unknown[], usage: TokenUsage, stopReason: string | null): unknown {
  return {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: usageOf(usage),
  }
}

type AnswerBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

function blockOf(part: Exclude<PlayedPart, { kind: 'wait' }>): AnswerBlock {
  if (part.kind === 'call')
    return { type: 'tool_use', id: newId('toolu_'), name: part.call.name, input: part.call.input }
  if (part.kind === 'think') return { type: 'thinking', thinking: part.text, signature: btoa('scripted') }
  return { type: 'text', text: part.text }
}

/** The start of a block, before its content arrives in chunks. */
function emptied(block: AnswerBlock): AnswerBlock {
  if (block.type === 'tool_use') return { ...block, input: {} }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return { ...block, text: '' }
}

function stopReason({ parts, isCut }: PlayedAnswer): string {
  if (isCut) return 'max_tokens'
  return parts.at(-1)?.kind === 'call' ? 'tool_use' : 'end_turn'
}

function usageOf({ input, output, cacheRead, cacheWrite }: TokenUsage): unknown {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
    service_tier: 'standard',
  }
}
