import type { Socket } from 'node:net'
import { Refusal } from '../refusal.ts'
import { securityHeaders } from './guard.ts'
import { problemReply } from './problem-reply.ts'

/** Below HTTP: the request could not be read at all, or not in time. */
export function cutOff(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const { status, body } = problemReply(socketRefusals[error.code ?? ''] ?? unreadable)
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

/** Whether an answer has begun on this connection: another one must not be written into it. */
function isAnswering(socket: Socket): boolean {
  // Only Node's own field says so; its default handler asks it too.
  const underway: { headersSent?: boolean } | null | undefined = Reflect.get(socket, '_httpMessage')
  return underway?.headersSent ?? false
}

const unreadable = new Refusal('malformed_request', ['The request is not valid HTTP'])

const socketRefusals: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal('request_timeout', ['The request did not arrive in time']),
  HPE_HEADER_OVERFLOW: new Refusal('headers_too_large', ['The request headers are too large']),
}
