import { connect, type Socket } from 'node:net'

/** An answer over a bare socket, for requests that `fetch` cannot send. */
export type RawAnswer = {
  status: number
  headers: Record<string, string>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON came back
  body: any
}

export type RawConnection = {
  socket: Socket
  send(bytes: string | Buffer): void
  /** Everything received so far. */
  received(): string
  /** Resolves with everything received once the server has closed the connection. */
  closed: Promise<string>
  /** The first complete answer; rejects if the connection ends without one. */
  answer(): Promise<RawAnswer>
  end(): void
}

export function openRaw(url: string): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  const listeners = new Set<() => void>()
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    for (const listener of listeners) listener()
  })
  // A closed connection may reset; only the bytes before it matter.
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  return {
    socket,
    send: (bytes) => socket.write(bytes),
    received: () => received,
    closed,
    answer: () =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const answer = parseAnswer(received)
          if (!answer) return
          listeners.delete(look)
          resolve(answer)
        }
        listeners.add(look)
        look()
        void closed.then(() => reject(new Error(`the connection ended without an answer: ${JSON.stringify(received)}`)))
      }),
    end: () => socket.destroy(),
  }
}

/** One exchange on its own connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = openRaw(url)
  try {
    connection.send(bytes)
    return await connection.answer()
  } finally {
    connection.end()
  }
}

/** Request line and headers as sent; adds a loopback Host header unless there is one. */
export function requestHead(line: string, headers: readonly string[] = []): string {
  const named = headers.some((header) => /^host:/i.test(header)) ? headers : ['Host: localhost', ...headers]
  return `${[`${line} HTTP/1.1`, ...named].join('\r\n')}\r\n\r\n`
}

function parseAnswer(received: string): RawAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const status = Number(statusLine.split(' ')[1])
  if (status === 100) return parseAnswer(received.slice(headEnd + 4))
  const rest = Buffer.from(received.slice(headEnd + 4), 'latin1')
  const length = Number(headers['content-length'] ?? 0)
  if (rest.length < length) return undefined
  const text = rest.subarray(0, length).toString('utf8')
  return {
    status,
    headers,
    text,
    body: headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text,
  }
}
