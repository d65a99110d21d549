import type { ServerResponse } from 'node:http'
import type { ModelRequest } from './model-request.ts'
import type { PlayedAnswer } from './play.ts'

/** One vendor's API: how to read a request, and how to write answers and errors. */
export type WireFormat = {
  name: 'messages' | 'responses' | 'chat'
  /** The end of the request path. */
  path: string
  read(body: unknown): ModelRequest
  stream(response: ServerResponse, request: ModelRequest, answer: PlayedAnswer): Promise<void>
  /** Set if the API reports an oversized conversation in the stream; others answer with status 400. */
  streamTooLong?(response: ServerResponse, request: ModelRequest): void
  /** The whole answer as one JSON document. */
  whole(request: ModelRequest, answer: PlayedAnswer): unknown
}

/** An id like the vendors': a prefix for the kind, then random characters. */
export function newId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll('-', '')
}
