import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/** Requests to remote MCP servers, on connections that are kept. The body of an answer is a stream. */
export type Upstream = {
  send(address: string, what: Sent): Promise<IncomingMessage>
  close(): void
}

type Sent = { method: string; headers: Readonly<Record<string, string>>; body: Buffer | undefined; signal: AbortSignal }

/** No limit on how long an answer takes: a tool may work for an hour. The caller's signal ends it. */
export function openUpstream({ ca }: { ca?: string | undefined }): Upstream {
  const agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true, ...(ca && { ca }) }),
  }
  return {
    send: (address, { method, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const isSecure = address.startsWith('https:')
        const options = { method, headers, signal, agent: isSecure ? agents.https : agents.http }
        const sending = (isSecure ? requestHttps : requestHttp)(address, options, resolve)
        sending.on('error', reject)
        sending.end(body)
      }),
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
