import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { lookUpPublic, problemWithAddress } from '../public-address.ts'
import { RemoteFailed } from '../remote-failed.ts'
import { retryAfterSeconds } from '../retry-after.ts'
import type { VapidKeys } from './vapid-keys.ts'

export type Subscriber = { endpoint: string; p256dh_key: string; auth_key: string }

export type Push = {
  publicKey: string
  /** Why no push is sent to this address, in words that follow the word "endpoint". */
  problemWith(endpoint: string): string | undefined
  /**
   * Encrypts the payload for the subscriber and gives it to its push service. `gone`: the service no longer knows the
   * subscriber. Pushes under one topic replace each other while they wait there.
   */
  send(subscriber: Subscriber, payload: object, about: { topic: string }): Promise<'sent' | 'gone'>
}

type Options = {
  keys: VapidKeys
  /** Whom a push service may write to about our pushes. */
  subject: string
  /** Push services that may be anywhere, such as one on our own network. */
  allowedOrigins: readonly string[]
  timeoutMs?: number
}

/** How long a push service keeps a push for a browser that is not connected. */
const keptSeconds = 24 * 3600

/** Web Push. The library is loaded by the first push. */
export function openPush({ keys, subject, allowedOrigins, timeoutMs = 10_000 }: Options): Push {
  const isTrusted = (endpoint: string): boolean =>
    URL.canParse(endpoint) && allowedOrigins.includes(new URL(endpoint).origin)
  const problemWith = (endpoint: string): string | undefined =>
    isTrusted(endpoint) ? undefined : problemWithAddress(endpoint)
  return {
    publicKey: keys.publicKey,
    problemWith,
    send: async ({ endpoint, p256dh_key: p256dh, auth_key: auth }, payload, { topic }) => {
      const problem = problemWith(endpoint)
      if (problem !== undefined) throw new RemoteFailed('refused', `the endpoint ${problem}`)
      const { default: webPush } = await import('web-push')
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint, keys: { p256dh, auth } },
        JSON.stringify(payload),
        { vapidDetails: { subject, ...keys }, TTL: keptSeconds, topic },
      )
      return outcomeOf(await post(endpoint, { headers, body, isTrusted: isTrusted(endpoint), timeoutMs }))
    },
  }
}

/** A redirect is not followed: it could lead to any address. */
function outcomeOf({ status, retryAfter }: PushAnswer): 'sent' | 'gone' {
  if (status >= 200 && status < 300) return 'sent'
  if (status === 404 || status === 410) return 'gone'
  const kind = status === 429 ? 'throttled' : status >= 500 ? 'unreachable' : 'refused'
  const seconds = kind === 'refused' ? undefined : retryAfterSeconds(retryAfter)
  const pause = seconds === undefined ? {} : { retryAfterSeconds: seconds }
  throw new RemoteFailed(kind, `the push service answered ${status}`, pause)
}

type Posting = {
  headers: Record<string, string | number>
  body: Buffer | null
  isTrusted: boolean
  timeoutMs: number
}

type PushAnswer = { status: number; retryAfter: string | undefined }

/** The body of the answer is not read: it may have no end. */
function post(endpoint: string, { headers, body, isTrusted, timeoutMs }: Posting): Promise<PushAnswer> {
  const signal = AbortSignal.timeout(timeoutMs)
  const request = endpoint.startsWith('https:') ? requestHttps : requestHttp
  const options = { method: 'POST', headers, signal, agent: false, ...(!isTrusted && { lookup: lookUpPublic }) }
  return new Promise((resolve, reject) => {
    const sending = request(endpoint, options, (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] })
      response.destroy()
    })
    sending.on('error', (error) => reject(failureOf(error, signal)))
    sending.end(body)
  })
}

function failureOf(error: Error, { aborted }: AbortSignal): RemoteFailed {
  if (error instanceof RemoteFailed) return error
  if (aborted) return new RemoteFailed('hung', 'the push service did not answer in time', { cause: error })
  return new RemoteFailed('unreachable', `the push service cannot be reached: ${error.message}`, { cause: error })
}
