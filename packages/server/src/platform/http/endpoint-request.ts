import type { IncomingHttpHeaders } from 'node:http'
import type { Declaration } from '@yardmaster/contract/endpoint'
import type { JsonObject } from '@yardmaster/contract/json'
import type { Browser } from './browser.ts'
import type { Endpoint, EndpointRequest } from './endpoint.ts'
import { parseBody, parseParams, parseQuery } from './validation.ts'

/** What a caller sent, over HTTP or as a tool call. */
export type Sent = {
  params: unknown
  query: unknown
  body: JsonObject
  headers: IncomingHttpHeaders
  signal: AbortSignal
  /** The session whose agent calls a tool, proven by the key of its turn. Undefined for every other caller. */
  agentOf?: number | undefined
  /** The catalog roots that the caller of a tool is limited to. Undefined if it is not. */
  roots?: readonly string[] | undefined
  isTool?: boolean
  /** The browser of the person who asks. Undefined for every caller with a key. */
  browser?: Browser | undefined
  /** Waits until an answer of about this size may be made. Undefined for a call of a tool, whose answer is short. */
  turnToAnswer?: ((bytes: number) => Promise<void>) | undefined
}

/** Parses the request by the endpoint's declaration, or refuses it. */
export function readRequest<App>(
  endpoint: Endpoint<App>,
  sent: Sent,
): EndpointRequest<unknown, unknown, unknown, unknown> {
  return new ReadRequest(endpoint, sent)
}

/** A class, because an object literal with getters costs as much as the rest of a short request. */
class ReadRequest implements EndpointRequest<unknown, unknown, unknown, unknown> {
  readonly params: unknown
  readonly query: unknown
  readonly headers: IncomingHttpHeaders
  readonly agentOf: number | undefined
  readonly roots: readonly string[] | undefined
  readonly isTool: boolean
  readonly browser: Browser | undefined
  readonly #endpoint: Declaration
  readonly #sent: Sent

  constructor(endpoint: Declaration, sent: Sent) {
    this.params = parseParams(endpoint.params, sent.params)
    this.query = parseQuery(endpoint.query, sent.query, endpoint.invalidQuery)
    this.headers = sent.headers
    this.agentOf = sent.agentOf
    this.roots = sent.roots
    this.isTool = sent.isTool ?? false
    this.browser = sent.browser
    this.#endpoint = endpoint
    this.#sent = sent
  }

  get body(): unknown {
    const { body: schema, invalidBody } = this.#endpoint
    return schema && parseBody(schema, this.#sent.body, invalidBody)
  }

  get early(): unknown {
    return this.#endpoint.early.parse(this.#sent.body)
  }

  get signal(): AbortSignal {
    return this.#sent.signal
  }

  async turnToAnswer(bytes: number): Promise<void> {
    await this.#sent.turnToAnswer?.(bytes)
  }
}
