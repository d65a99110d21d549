import type { ServerResponse } from 'node:http'
import { openEventStream, sendPieces, stall } from './event-stream.ts'
import { inputsOf, type JsonSchema, type ModelRequest } from './model-request.ts'
import type { PlayedAnswer, PlayedPart } from './play.ts'
import { lastSaid } from './prompt.ts'
import type { TokenUsage } from './script.ts'
import { newId, type WireFormat } from './wire-format.ts'

/** OpenAI's Chat Completions API. */
export const openaiChat: WireFormat = { name: 'chat', path: '/chat/completions', read, stream, whole }

type Content = string | { text?: string }[] | null
type Message = { role: string; content?: Content; tool_calls?: unknown[] }
type Body = {
  model?: string
  messages?: Message[]
  tools?: { function: { name: string; parameters?: JsonSchema } }[]
  max_tokens?: number
  max_completion_tokens?: number
  stream?: boolean
  user?: string
}

function read(given: unknown): ModelRequest {
  const body = given as Body // what CLIs send; what is missing reads as absent
  const messages = body.messages ?? []
  const prompts = messages.flatMap(({ role, content }, index) => {
    const said = role === 'user' ? lastSaid(textsOf(content)) : undefined
    return said === undefined ? [] : [{ said, index }]
  })
  const last = prompts.at(-1)
  const orders = messages.filter(({ role }) => role === 'system' || role === 'developer')
  return {
    model: body.model ?? '',
    conversation: body.user ?? '',
    instructions: orders.flatMap(({ content }) => textsOf(content)).join('\n'),
    prompt: last?.said ?? '',
    answersGiven: messages.slice((last?.index ?? -1) + 1).flatMap(({ tool_calls }) => tool_calls ?? []).length,
    hasSearched: false,
    promptCount: prompts.length,
    tools: (body.tools ?? []).map(({ function: { name, parameters } }) => ({
      name,
      isFreeform: false,
      inputs: inputsOf(parameters),
    })),
    maxOutputTokens: body.max_completion_tokens ?? body.max_tokens,
    isStream: body.stream === true,
  }
}

function textsOf(content: Content | undefined): string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]))
}

async function stream(response: ServerResponse, request: ModelRequest, answer: PlayedAnswer): Promise<void> {
  const out = openEventStream(response, { 'x-request-id': newId('req_') })
  const head = headOf(request, 'chat.completion.chunk')
  const send = (delta: Record<string, unknown>, finishReason: string | null = null): void =>
    out.send({ ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] })

  send({ role: 'assistant', content: '' })
  for (const part of answer.parts) {
    if (part.kind === 'wait') await stall(out, part.seconds, out.comment)
    else if (part.kind === 'call') send({ tool_calls: [{ index: 0, ...callOf(part) }] })
    else if (part.kind === 'think') await sendPieces(out, part, (piece) => send({ reasoning_content: piece }))
    else await sendPieces(out, part, (piece) => send({ content: piece }))
  }
  send({}, finishReason(answer))
  out.send({ ...head, choices: [], usage: usageOf(answer.usage) })
  out.send('[DONE]')
  out.end()
}

function whole(request: ModelRequest, answer: PlayedAnswer): unknown {
  const textOf = (...kinds: PlayedPart['kind'][]): string =>
    answer.parts.flatMap((part) => ('text' in part && kinds.includes(part.kind) ? [part.text] : [])).join('\n')
  const calls = answer.parts.flatMap((part) => (part.kind === 'call' ? [callOf(part)] : []))
  const message = {
    role: 'assistant',
    content: textOf('say', 'long'),
    reasoning_content: textOf('think'),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...headOf(request, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
    usage: usageOf(answer.usage),
  }
}

function headOf(request: ModelRequest, object: string): Record<string, unknown> {
  return { id: newId('chatcmpl-'), object, created: Math.floor(Date.now() / 1000), model: request.model }
}

function callOf({ call }: Extract<PlayedPart, { kind: 'call' }>): Record<string, unknown> {
  return { id: newId('call_'), type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } }
}

function finishReason({ parts, isCut }: PlayedAnswer): string {
  if (isCut) return 'length'
  return parts.at(-1)?.kind === 'call' ? 'tool_calls' : 'stop'
}

/** The prompt tokens include the cached ones. */
function usageOf({ input, output, cacheRead }: TokenUsage): unknown {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: Math.min(cacheRead, input) },
  }
}
