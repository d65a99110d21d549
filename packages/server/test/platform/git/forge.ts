import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { authorEnvironment } from './playground.ts'

export type Forge = {
  /** `http://127.0.0.1:port` */
  origin: string
  /** How many bytes of repository content it has sent. */
  sentBytes(): number
  /** How often a client requested the refs of a repository. */
  refsRequestCount(): number
  close(): Promise<void>
}

/** A git server over http on loopback: git http-backend behind a Node server. */
export async function startForge(options: {
  root: string
  /** `user:password`, if the repositories are private. */
  login?: string
  /** Called with the path before each answer, which waits for it. */
  before?: (path: string) => Promise<void>
  /** Sends only this many bytes of repository content and then stalls. */
  stallAfterBytes?: () => number | undefined
}): Promise<Forge> {
  let sentBytes = 0
  let refsRequestCount = 0
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://forge')
    await options.before?.(url.pathname)
    const wanted = options.login === undefined ? undefined : `Basic ${Buffer.from(options.login).toString('base64')}`
    if (wanted !== undefined && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end('Authentication required')
      return
    }
    if (url.pathname.endsWith('/info/refs')) refsRequestCount += 1
    answer(options.root, url, request, response, (chunk) => {
      sentBytes += chunk.length
      const limit = options.stallAfterBytes?.()
      if (limit === undefined || !url.pathname.endsWith('/git-upload-pack')) return chunk
      return chunk.subarray(0, limit)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  onTestFinished(close)
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    sentBytes: () => sentBytes,
    refsRequestCount: () => refsRequestCount,
    close,
  }
}

function answer(
  root: string,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  pass: (chunk: Buffer) => Buffer,
): void {
  const backend = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...authorEnvironment(),
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  })
  backend.stdin.on('error', () => {})
  request.pipe(backend.stdin)
  let head: Buffer | undefined = Buffer.alloc(0)
  let isStalled = false
  backend.stdout.on('data', (chunk: Buffer) => {
    if (head === undefined) {
      send(chunk)
      return
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const rest = head.subarray(end + 4)
    writeHead(response, head.subarray(0, end).toString())
    head = undefined
    send(rest)
  })
  backend.stdout.on('end', () => {
    if (!isStalled) response.end()
  })

  function send(chunk: Buffer): void {
    if (isStalled) return
    const passed = pass(chunk)
    response.write(passed)
    isStalled = passed.length < chunk.length
  }
}

function writeHead(response: ServerResponse, text: string): void {
  for (const line of text.split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s)
    if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10)
    else response.setHeader(name, value)
  }
}
