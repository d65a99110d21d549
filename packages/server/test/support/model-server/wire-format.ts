import type { ServerResponse } from 'node:http'
import type { ModelRequest } from './model-request.ts'
import type { PlayedAnswer } from './play.ts'

/** How one vendor's API is spoken: what a request means, and what answers and errors look like. */
export type WireFormat = {
  name: 'messages' | 'responses' | 'chat'
  /** The end of the path requests are posted to. */
  path: string
  read(body: unknown): ModelRequest
  stream(response: ServerResponse, request: ModelRequest, answer: PlayedAnswer): Promise<void>
  /** Where a conversation that is too long is told in the stream; elsewhere it is an answer with status 400. */
  streamTooLong?(response: ServerResponse, request: ModelRequest): void
  /** The whole answer as one JSON document. */
  whole(request: ModelRequest, answer: PlayedAnswer): unknown
}

/** As vendors make them up: a prefix that tells what it is of, and then no pattern. */
export function newId(prefix: string): string {
  return prefix + crypto.randomUUID().replaceAll('-', '')
}
