import type { Socket } from 'node:net'
import type { Metrics } from '../metrics.ts'
import { Refusal } from '../refusal.ts'
import { securityHeaders } from './guard.ts'
import { problemReply } from './problem-reply.ts'

/** Answers on the bare socket when the request could not be parsed or did not arrive in time. */
export function cutOff(
  error: Error & { code?: string },
  socket: Socket,
  { refusals }: Pick<Metrics, 'refusals'>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const refusal = socketRefusals[error.code ?? ''] ?? malformed
  refusals.inc({ kind: refusal.kind })
  const { status, body } = problemReply(refusal)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${body.error}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy())
}

/** Whether an answer has begun on this connection: a second one would be written into the middle of it. */
function isAnswering(socket: Socket): boolean {
  // Node has no public field for this; its own default handler reads the same one.
  const underway: { headersSent?: boolean } | null | undefined = Reflect.get(socket, '_httpMessage')
  return underway?.headersSent ?? false
}

const malformed = new Refusal('malformed_request', ['The request is not valid HTTP'])

const socketRefusals: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal('request_timeout', ['The request did not arrive in time']),
  HPE_HEADER_OVERFLOW: new Refusal('headers_too_large', ['The request headers are too large']),
}
