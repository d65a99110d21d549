import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { problemWithEndpoint } from '../oauth/endpoint-rule.ts'
import { lookUpPublic, problemWithAddress } from '../public-address.ts'

/** Requests to remote MCP servers, on connections that are kept. The body of an answer is a stream. */
export type Upstream = {
  /** Why nothing is sent to the address, in words that follow it. The addresses of a host name are checked by `send`. */
  problemWith(address: string): string | undefined
  send(address: string, what: Sent): Promise<IncomingMessage>
  close(): void
}

type Sent = { method: string; headers: Readonly<Record<string, string>>; body: Buffer | undefined; signal: AbortSignal }

type Options = {
  /** Origins that may be anywhere, such as on our own network. */
  allowedOrigins: readonly string[]
  ca?: string | undefined
}

/**
 * The same rule as for authorization servers: https, and a public address unless the operator allowed the origin. So a name that
 * someone else makes lead to our own network gets no token. No limit on how long an answer takes: a tool may work for an hour. The
 * caller's signal ends it.
 */
export function openUpstream({ allowedOrigins, ca }: Options): Upstream {
  const agent = new Agent({ keepAlive: true, ...(ca && { ca }) })
  const isAllowed = (address: string): boolean => allowedOrigins.includes(new URL(address).origin)
  return {
    problemWith: (address) =>
      problemWithEndpoint(address) ?? (isAllowed(address) ? undefined : problemWithAddress(address)),
    send: (address, { method, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const where = isAllowed(address) ? {} : { lookup: lookUpPublic }
        const sending = request(address, { method, headers, signal, agent, ...where }, resolve)
        sending.on('error', reject)
        sending.end(body)
      }),
    close: () => agent.destroy(),
  }
}
