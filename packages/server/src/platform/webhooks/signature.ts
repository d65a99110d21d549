import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '../refusal.ts'

/** Refuses a request whose raw body the platform did not sign with our secret. */
export type SignatureCheck = (request: { headers: IncomingHttpHeaders; body: Buffer }) => void

/** A request older than this, or as far in the future, may be a replay of a recorded one. */
const windowSeconds = 300

/** `x-slack-signature: v0=<hex>` over `v0:<timestamp>:<body>`. */
export function chatSignature(secret: string, now: () => Date): SignatureCheck {
  return ({ headers, body }) => {
    const timestamp = single(headers['x-slack-request-timestamp'])
    const sent = single(headers['x-slack-signature'])
    const expected = `v0=${hmac(secret, `v0:${timestamp}:`, body)}`
    // Both are judged before either is reported: the time an answer takes tells nothing about the signature.
    const isSigned = isEqual(sent, expected)
    const isRecent =
      /^\d{1,12}$/.test(timestamp) && Math.abs(now().getTime() / 1000 - Number(timestamp)) <= windowSeconds
    if (!isSigned) refuse('unauthorized', 'The signature of the request is missing or wrong')
    if (!isRecent) refuse('unauthorized', 'The request was signed more than 5 minutes ago, or in the future')
  }
}

/** `x-hub-signature-256: sha256=<hex>` over the body. */
export function forgeSignature(secret: string): SignatureCheck {
  return ({ headers, body }) => {
    const sent = single(headers['x-hub-signature-256'])
    if (!isEqual(sent, `sha256=${hmac(secret, '', body)}`))
      refuse('unauthorized', 'The signature of the request is missing or wrong')
  }
}

function hmac(secret: string, before: string, body: Buffer): string {
  return createHmac('sha256', secret).update(before).update(body).digest('hex')
}

function isEqual(sent: string, expected: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Node joins a repeated header with a comma, which matches neither a signature nor a timestamp. */
function single(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}
