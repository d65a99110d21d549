import type { ServerResponse } from 'node:http'
import { type EventStream, openEventStream, sendPieces, stall } from './event-stream.ts'
import { inputsOf, type JsonSchema, type ModelRequest, type Tool } from './model-request.ts'
import type { PlayedAnswer, PlayedPart } from './play.ts'
import { lastSaid } from './prompt.ts'
import type { TokenUsage } from './script.ts'
import { newId, type WireFormat } from './wire-format.ts'

/** OpenAI's Responses API. */
export const openaiResponses: WireFormat = { name: 'responses', path: '/responses', read, stream, streamTooLong, whole }

type Content = string | { text?: string; encrypted_content?: string }[]
type InputItem = {
  type?: string
  role?: string
  content?: Content
  tools?: OfferedTool[]
  name?: string
  output?: unknown
}
type OfferedTool = { type: string; name?: string; parameters?: JsonSchema; tools?: OfferedTool[] }
type Body = {
  model?: string
  instructions?: string
  input?: string | InputItem[]
  tools?: OfferedTool[]
  max_output_tokens?: number
  stream?: boolean
  prompt_cache_key?: string
}

function read(given: unknown): ModelRequest {
  const body = given as Body // what CLIs send; what is missing reads as absent
  const items: InputItem[] =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? [])
  const prompts = items.flatMap((item, index) => {
    const said = promptIn(item)
    return said === undefined ? [] : [{ said, index }]
  })
  const last = prompts.at(-1)
  const orders = items.filter(({ role }) => role === 'developer' || role === 'system')
  // For newer models Codex sends the tools as an input item.
  const offered = [...(body.tools ?? []), ...items.flatMap(({ tools }) => tools ?? [])]
  const since = items.slice((last?.index ?? -1) + 1)
  const calls = since.filter(({ type }) => type?.endsWith('_call'))
  return {
    model: body.model ?? '',
    conversation: body.prompt_cache_key ?? '',
    instructions: [body.instructions ?? '', ...orders.flatMap(({ content }) => textsOf(content))].join('\n'),
    prompt: last?.said ?? '',
    answersGiven: calls.filter((call, index) => !isSearch(call) && !isWaitForSubagent(calls, index)).length,
    hasSearched: isSearch(calls.at(-1)),
    ...(calls.at(-1)?.name === 'spawn_agent' && { spawned: lastOutput(since) }),
    promptCount: prompts.length,
    tools: offered.flatMap((tool) => toolsOf(tool)),
    maxOutputTokens: body.max_output_tokens,
    isStream: body.stream === true,
  }
}

/** A newer subagent gets its task as a message between agents, marked as encrypted. */
function promptIn({ type, role, content }: InputItem): string | undefined {
  if (role === 'user') return lastSaid(textsOf(content))
  if (type !== 'agent_message' || typeof content === 'string') return undefined
  const isTask = textsOf(content).some((text) => text.startsWith('Message Type: NEW_TASK'))
  return isTask
    ? content?.find(({ encrypted_content }) => encrypted_content !== undefined)?.encrypted_content
    : undefined
}

/** A search for a tool that is not offered at first. Not a line of the script. */
function isSearch(call: InputItem | undefined): boolean {
  return call?.type === 'tool_search_call'
}

/** A wait after each start of a subagent. Not a line of the script. */
function isWaitForSubagent(calls: InputItem[], index: number): boolean {
  return calls[index]?.name === 'wait_agent' && calls[index - 1]?.name === 'spawn_agent'
}

function lastOutput(items: InputItem[]): string {
  const output = items.findLast(({ type }) => type?.endsWith('_output'))?.output
  return typeof output === 'string' ? output : ''
}

function textsOf(content: Content | undefined): string[] {
  if (typeof content === 'string') return [content]
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]))
}

function toolsOf(tool: OfferedTool, namespace?: string): Tool[] {
  if (tool.type === 'namespace') return (tool.tools ?? []).flatMap((inner) => toolsOf(inner, tool.name))
  const address = { name: tool.name ?? tool.type, ...(namespace !== undefined && { namespace }) }
  return [{ ...address, isFreeform: tool.type === 'custom', inputs: inputsOf(tool.parameters) }]
}

async function stream(response: ServerResponse, request: ModelRequest, answer: PlayedAnswer): Promise<void> {
  const out = openEventStream(response, { 'x-request-id': newId('req_') })
  let sent = 0
  const send = (type: string, data: Record<string, unknown>): void => {
    out.send({ type, sequence_number: sent, ...data }, type)
    sent += 1
  }
  const begun = document(request, [], null)
  send('response.created', { response: begun })
  send('response.in_progress', { response: begun })
  const output: OutputItem[] = []
  for (const part of answer.parts) {
    if (part.kind === 'wait') {
      await stall(out, part.seconds, out.comment)
      continue
    }
    const item = itemOf(part)
    const place = { item_id: item.id, output_index: output.length }
    send('response.output_item.added', { output_index: place.output_index, item: emptied(item) })
    await sendContent(out, { part, item }, (type, data) => send(type, { ...place, ...data }))
    send('response.output_item.done', { output_index: place.output_index, item })
    output.push(item)
  }
  const ended = endOf(answer)
  send(`response.${ended.status}`, { response: { ...begun, ...ended, output, usage: usageOf(answer.usage) } })
  out.end()
}

function streamTooLong(response: ServerResponse, request: ModelRequest): void {
  const out = openEventStream(response, { 'x-request-id': newId('req_') })
  const begun = document(request, [], null)
  out.send({ type: 'response.created', sequence_number: 0, response: begun }, 'response.created')
  const message = 'Your input exceeds the context window of this model.'
  const failed = { ...begun, status: 'failed', error: { code: 'context_length_exceeded', message } }
  out.send({ type: 'response.failed', sequence_number: 1, response: failed }, 'response.failed')
  out.end()
}

async function sendContent(
  out: EventStream,
  { part, item }: { part: PlayedPart; item: OutputItem },
  send: (type: string, data: Record<string, unknown>) => void,
): Promise<void> {
  if (item.type === 'message') {
    const [content] = item.content
    send('response.content_part.added', { content_index: 0, part: { ...content, text: '' } })
    await sendPieces(out, { kind: part.kind, text: content.text }, (delta) =>
      send('response.output_text.delta', { content_index: 0, delta }),
    )
    send('response.output_text.done', { content_index: 0, text: content.text })
    send('response.content_part.done', { content_index: 0, part: content })
  } else if (item.type === 'reasoning') {
    const [summary] = item.summary
    send('response.reasoning_summary_part.added', { summary_index: 0, part: { ...summary, text: '' } })
    await sendPieces(out, { kind: part.kind, text: summary.text }, (delta) =>
      send('response.reasoning_summary_text.delta', { summary_index: 0, delta }),
    )
    send('response.reasoning_summary_text.done', { summary_index: 0, text: summary.text })
    send('response.reasoning_summary_part.done', { summary_index: 0, part: summary })
  } else if (item.type === 'function_call') {
    send('response.function_call_arguments.delta', { delta: item.arguments })
    send('response.function_call_arguments.done', { arguments: item.arguments })
  } else if (item.type === 'custom_tool_call') {
    send('response.custom_tool_call_input.delta', { delta: item.input })
    send('response.custom_tool_call_input.done', { input: item.input })
  }
}

function whole(request: ModelRequest, answer: PlayedAnswer): unknown {
  const output = answer.parts.flatMap((part) => (part.kind === 'wait' ? [] : [itemOf(part)]))
  return { ...document(request, output, usageOf(answer.usage)), ...endOf(answer) }
}

function endOf({ isCut }: PlayedAnswer): { status: string; [key: string]: unknown } {
  return isCut ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } : { status: 'completed' }
}

function document(request: ModelRequest, output: OutputItem[], usage: unknown): Record<string, unknown> {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: 'in_progress',
    model: request.model,
    output,
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
    error: null,
    incomplete_details: null,
    usage,
  }
}

type OutputText = { type: 'output_text'; text: string; annotations: [] }
type SummaryText = { type: 'summary_text'; text: string }
type CallItem = { id: string; call_id: string; name: string; namespace?: string; status: string }
type OutputItem =
  | { type: 'message'; id: string; role: 'assistant'; status: string; content: [OutputText] }
  | { type: 'reasoning'; id: string; summary: [SummaryText]; encrypted_content: string }
  | ({ type: 'function_call'; arguments: string } & CallItem)
  | ({ type: 'custom_tool_call'; input: string } & CallItem)
  | { type: 'tool_search_call'; id: string; call_id: string; execution: 'client'; arguments: unknown; status: string }

function itemOf(part: Exclude<PlayedPart, { kind: 'wait' }>): OutputItem {
  const status = 'completed'
  if (part.kind === 'think') {
    const summary: SummaryText = { type: 'summary_text', text: part.text }
    return { type: 'reasoning', id: newId('rs_'), summary: [summary], encrypted_content: btoa('scripted') }
  }
  if (part.kind !== 'call') {
    const content: OutputText = { type: 'output_text', text: part.text, annotations: [] }
    return { type: 'message', id: newId('msg_'), role: 'assistant', status, content: [content] }
  }
  const { input, text, ...address } = part.call
  const call = { call_id: newId('call_'), ...address, status }
  if (text !== undefined) return { type: 'custom_tool_call', id: newId('ctc_'), ...call, input: text }
  if (address.name !== 'tool_search') {
    return { type: 'function_call', id: newId('fc_'), ...call, arguments: JSON.stringify(input) }
  }
  const { call_id } = call
  return { type: 'tool_search_call', id: newId('tsc_'), call_id, execution: 'client', arguments: input, status }
}

/** The start of an item, before its content arrives in chunks. */
function emptied(item: OutputItem): Record<string, unknown> {
  if (item.type === 'message') return { ...item, status: 'in_progress', content: [] }
  if (item.type === 'reasoning') return { ...item, summary: [] }
  const content = { function_call: { arguments: '' }, custom_tool_call: { input: '' }, tool_search_call: {} }[item.type]
  return { ...item, status: 'in_progress', ...content }
}

/** The input tokens include the cached ones. */
function usageOf({ input, output, cacheRead }: TokenUsage): unknown {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: Math.min(cacheRead, input) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}
