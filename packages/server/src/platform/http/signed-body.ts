import { Readable } from 'node:stream'
import { limits } from '@yardmaster/contract/limits'
import type { FastifyRequest, RequestPayload } from 'fastify'
import { refuse } from '../refusal.ts'

/** What a route with auth `webhook` asks for: first whether the sender is configured, then whether it signed the body. */
export type WebhookChecker = {
  admit(request: FastifyRequest): void
  check(request: FastifyRequest, body: Buffer): void
}

/**
 * Reads the raw body, has its signature checked, and passes the same bytes on to the parser: no byte of an unsigned body is
 * parsed.
 */
export async function checkSignedBody(
  checker: WebhookChecker,
  request: FastifyRequest,
  payload: RequestPayload,
): Promise<RequestPayload> {
  const chunks: Buffer[] = []
  let size = 0
  // Left open when the body is refused: closing it would reset the connection before the caller reads the answer.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limits.webhookBytes) refuse('body_too_large', 'The body is larger than this endpoint takes')
    chunks.push(bytes)
  }
  const body = Buffer.concat(chunks)
  checker.check(request, body)
  return Object.assign(Readable.from(size === 0 ? [] : [body]), { receivedEncodedLength: size })
}
