import { boundedFetch } from '../../platform/bounded-fetch.ts'
import { quote } from '../quote.ts'
import type { Usage } from '../usage.ts'
import type { Measurement, Quota } from './vendor-accounts.ts'

const timeoutMs = 8000

type Order = {
  url: string
  headers: Record<string, string>
  body: unknown
  read(headers: Headers): Quota
  /** What the request used, by the text of its answer. */
  usageIn(text: string): Usage | undefined
}

/** A page with status 403 comes from a proxy or a filter before the vendor, and says nothing about the login. */
function isRejection({ status, headers }: Response): boolean {
  return status === 401 || (status === 403 && !headers.get('content-type')?.includes('html'))
}

/** The answer is a word with its usage. */
const maxAnswerBytes = 256 * 1024

/** The headers count, whatever the status: a spent quota answers 429 and tells when it is over. */
export async function measureBy({ url, headers, body, read, usageIn }: Order): Promise<Measurement> {
  try {
    const response = await boundedFetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status } = response
    const text = await textOf(response)
    if (isRejection(response)) return { kind: 'login_rejected', detail: `The vendor rejected the login (${status}).` }
    const quota = read(response.headers)
    const usage = response.ok ? usageIn(text) : undefined
    if (quota.fiveHour || quota.weekly) return { kind: 'measured', quota, ...(usage && { usage }) }
    return { kind: 'unavailable', detail: `The vendor answered ${status} without rate-limit headers.` }
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return { kind: 'unavailable', detail: cause instanceof Error ? quote(cause.message) : 'The request failed.' }
  }
}

/** As much of it as comes in time: the headers count without it. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk)
      bytes += chunk.byteLength
      if (bytes > maxAnswerBytes) break
    }
  } catch {
    return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}
