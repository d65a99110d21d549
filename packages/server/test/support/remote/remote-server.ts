import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a stand-in received. */
export type Received = { route: string; input: Record<string, string>; headers: IncomingMessage['headers'] }

export type Reply = { status?: number; headers?: Record<string, string>; body: unknown }

/** `hang`: no answer. `cut`: the connection ends. `endless`, `drip`: an answer that does not end, fast or slowly. */
type Misbehaviour = 'hang' | 'cut' | 'endless' | 'drip'

export type RemoteServer = {
  url: string
  requests: Received[]
  /** Answers the next requests that `isMeant` accepts with these replies, one each, before the ordinary ones. */
  next(isMeant: (route: string, input: Received['input']) => boolean, ...replies: (Reply | Misbehaviour)[]): void
  close(): Promise<void>
}

/** An HTTP server on loopback that stands in for a system we do not own. It can be told to misbehave. */
export async function remoteServer(
  routeOf: (request: IncomingMessage) => string,
  answer: (received: Received) => Reply,
): Promise<RemoteServer> {
  const requests: Received[] = []
  const planned: { isMeant(route: string, input: Received['input']): boolean; reply: Reply | Misbehaviour }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const url = new URL(request.url ?? '/', 'http://remote')
    const input = { ...Object.fromEntries(url.searchParams), ...Object.fromEntries(new URLSearchParams(text)) }
    const received = { route: routeOf(request), input, headers: request.headers }
    requests.push(received)
    const index = planned.findIndex(({ isMeant }) => isMeant(received.route, input))
    const reply = index < 0 ? answer(received) : (planned.splice(index, 1)[0]?.reply ?? answer(received))
    if (reply === 'hang') return
    if (reply === 'cut') return void request.socket.destroy()
    if (reply === 'endless' || reply === 'drip') return keepWriting(response, reply === 'drip' ? 50 : 0)
    send(response, reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    next: (isMeant, ...replies) => planned.push(...replies.map((reply) => ({ isMeant, reply }))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function keepWriting(response: ServerResponse, pauseMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
  const chunk = pauseMs > 0 ? ' ' : ' '.repeat(1024 * 1024)
  const write = (): void => {
    if (response.destroyed) return
    if (response.write(chunk)) setTimeout(write, pauseMs)
    else response.once('drain', write)
  }
  write()
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}
