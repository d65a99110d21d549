import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { anthropicMessages } from './anthropic-messages.ts'
import { fullName } from './choose-tool.ts'
import type { ModelRequest } from './model-request.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { createPlayer, isSideCall, type Play } from './play.ts'
import { type Refusal, refusalBody } from './refusals.ts'
import type { WireFormat } from './wire-format.ts'

// A scripted language model, so that tests can run real CLIs without a vendor. It speaks
// Anthropic Messages, OpenAI Responses and OpenAI Chat Completions; give a CLI `url` (or `${url}/v1`) as its base.
//
// The lines of the last user prompt are the script:
//
//   say TEXT              a text                        think TEXT        thinking
//   run COMMAND           calls the CLI's shell tool    tool NAME JSON    calls a tool; `ask` finds `mcp__server__ask`
//   subagent TEXT         runs a subagent to its end, with TEXT as its script; \n in it is a new line
//   wait SECONDS          stalls the stream             long N            N characters, slowly
//   fail STATUS [TIMES]   rejects the request with that HTTP status, TIMES times (default: always)
//   fail too_long [TIMES] reports an oversized conversation in the vendor's format
//   cut                   the answer reaches the limit on output tokens
//   usage IN OUT [READ WRITE]   the tokens the answer reports as input and output, and those read from and written to
//                         the cache; without the line 100 20 30 10
//   any other line        says `You said: LINE`
//
// Lines up to and including one that calls a tool are one answer of the model; the next lines follow when the result arrives.
// `fail`, `cut` and `usage` apply to the answer they are in. A script that ends in a call is followed by `Done.`
//
// A key with `bad` in it gets 401, one with `quota` 429, one with `pause` 429 and an hour to wait; a model with `missing` in its name gets the vendor's 404.

export type RecordedRequest = {
  /** Undefined for probes and other requests. */
  format: WireFormat['name'] | undefined
  method: string
  path: string
  /** Keys are replaced by `[key]`. */
  headers: IncomingHttpHeaders
  model: string
  instructions: string
  prompt: string
  /** With their namespace, as `mcp__server__tool`. */
  tools: string[]
  /** A title, a summary, a probe: not part of the script. */
  isSideCall: boolean
  status: number
  /** The whole request body. */
  body: unknown
}

export type ModelServer = { url: string; requests: RecordedRequest[]; stop(): Promise<void> }

export async function startModelServer(): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  const play = createPlayer()
  const server = createServer((incoming, response) => {
    // The client may disconnect at any time.
    response.on('error', () => undefined)
    answer(incoming, response, { requests, play }).catch((problem: unknown) => {
      if (incoming.destroyed && !incoming.complete) return
      response.destroy()
      throw problem
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo // a server on a TCP port has one
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const formats = [anthropicMessages, openaiResponses, openaiChat]

type State = { requests: RecordedRequest[]; play: (request: ModelRequest) => Play }

async function answer(incoming: IncomingMessage, response: ServerResponse, { requests, play }: State): Promise<void> {
  const { method = '', headers } = incoming
  const path = (incoming.url ?? '/').replace(/\?.*$/, '')
  const body = await readBody(incoming)
  const format = formats.find((candidate) => method === 'POST' && path.endsWith(candidate.path))
  const request = format?.read(body)
  const record: RecordedRequest = {
    format: format?.name,
    method,
    path,
    headers: withoutKeys(headers),
    model: request?.model ?? '',
    instructions: request?.instructions ?? '',
    prompt: request?.prompt ?? '',
    tools: request?.tools.map(fullName) ?? [],
    isSideCall: request !== undefined && isSideCall(request),
    status: 200,
    body,
  }
  requests.push(record)

  const vendor = path.includes('/messages') || 'anthropic-version' in headers ? 'anthropic' : 'openai'
  const reply = (status: number, document: unknown, extra: Record<string, string> = {}): void => {
    record.status = status
    response.writeHead(status, { 'content-type': 'application/json', ...extra })
    response.end(JSON.stringify(document))
  }
  const refuse = (refusal: Refusal, extra?: Record<string, string>): void =>
    reply(refusal.status, refusalBody(vendor, refusal), extra)

  if (method === 'HEAD' || path === '/') return reply(200, {})
  const key = keyOf(headers)
  if (key.includes('bad')) return refuse({ status: 401 })
  // Vendors mark a spent quota by a long retry-after.
  if (key.includes('quota')) return refuse({ status: 429, code: 'insufficient_quota' }, { 'retry-after': '3600' })
  if (key.includes('pause')) return refuse({ status: 429 }, { 'retry-after': '3600' })
  if (path.endsWith('/count_tokens')) return reply(200, { input_tokens: 100 })
  if (method === 'GET' && path.endsWith('/models')) return reply(200, { object: 'list', data: [], has_more: false })
  if (!format || !request) return refuse({ status: 404, message: `There is no ${method} ${path} here` })
  if (request.model.includes('missing')) return refuse({ status: 404, message: missingModel(vendor, request.model) })

  const played = play(request)
  if ('failure' in played) {
    const { failure } = played
    if (failure !== 'too_long') return refuse({ status: failure })
    if (!request.isStream || !format.streamTooLong) return refuse({ status: 400 })
    return format.streamTooLong(response, request)
  }
  if (request.isStream) return format.stream(response, request, played.answer)
  for (const part of played.answer.parts)
    if (part.kind === 'wait') await sleep(part.seconds * 1000, undefined, { ref: false })
  reply(200, format.whole(request, played.answer))
}

async function readBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    return { unreadable: text }
  }
}

const keyHeaders = ['x-api-key', 'authorization', 'api-key', 'x-goog-api-key']

function keyOf(headers: IncomingHttpHeaders): string {
  return keyHeaders.map((name) => headers[name] ?? '').join(' ')
}

function withoutKeys(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, keyHeaders.includes(name) ? '[key]' : value]),
  )
}

function missingModel(vendor: 'anthropic' | 'openai', model: string): string {
  if (vendor === 'anthropic') return `model: ${model}`
  return `The model \`${model}\` does not exist or you do not have access to it.`
}
