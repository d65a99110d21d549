import type { IncomingHttpHeaders } from 'node:http'
import type { JsonObject } from '@yardmaster/contract/json'
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
}

/** Parses the request by the endpoint's declaration, or refuses it. */
export function readRequest<App>(
  endpoint: Endpoint<App>,
  sent: Sent,
): EndpointRequest<unknown, unknown, unknown, unknown> {
  const { params, query, body, headers } = sent
  return {
    params: parseParams(endpoint.params, params),
    query: parseQuery(endpoint.query, query),
    get body() {
      return endpoint.body && parseBody(endpoint.body, body)
    },
    get early() {
      return endpoint.early.parse(body)
    },
    headers,
    agentOf: sent.agentOf,
    roots: sent.roots,
    isTool: sent.isTool ?? false,
    get signal() {
      return sent.signal
    },
  }
}
