import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code: number }
  attributes: Record<string, unknown>
  /** What the sender says about itself. */
  resource: Record<string, unknown>
}

export type Collector = {
  url: string
  requests: { headers: IncomingHttpHeaders; path: string; text: string }[]
  spans(): CollectedSpan[]
  /** How it answers from now on. */
  answer: (response: ServerResponse, attempt: number) => void
  close(): Promise<void>
}

type Listed = { key: string; value: Record<string, unknown> }[]
type ResourceSpans = { resource: { attributes: Listed }; scopeSpans: { spans: { attributes: Listed }[] }[] }

/** A collector of traces on a real socket. It takes what it is sent unless the test says otherwise. The caller closes it. */
export async function startCollector(): Promise<Collector> {
  const collector: Collector = {
    url: '',
    requests: [],
    spans: () =>
      collector.requests.flatMap(({ text }) =>
        JSON.parse(text).resourceSpans.flatMap(({ resource, scopeSpans }: ResourceSpans) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(({ attributes, ...span }) => ({
              ...span,
              attributes: plain(attributes),
              resource: plain(resource.attributes),
            })),
          ),
        ),
      ),
    answer: (response) => void response.setHeader('content-type', 'application/json').end('{}'),
    close: async () => {
      server.closeAllConnections()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { headers, url: path = '' } = request
    collector.requests.push({ headers, path, text: Buffer.concat(chunks).toString('utf8') })
    collector.answer(response, collector.requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  collector.url = `http://127.0.0.1:${port}`
  return collector
}

function plain(attributes: Listed): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
