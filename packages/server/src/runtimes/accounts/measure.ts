import { boundedFetch } from '../../platform/bounded-fetch.ts'
import { quote } from '../quote.ts'
import type { Measurement, Quota } from './vendor-accounts.ts'

const timeoutMs = 8000

type Order = { url: string; headers: Record<string, string>; body: unknown; read(headers: Headers): Quota }

/** The headers count, whatever the status: a spent quota answers 429 and tells when it is over. */
export async function measureBy({ url, headers, body, read }: Order): Promise<Measurement> {
  try {
    const response = await boundedFetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    const { status } = response
    if (status === 401 || status === 403)
      return { kind: 'login_rejected', detail: `The vendor rejected the login (${status}).` }
    const quota = read(response.headers)
    if (quota.fiveHour || quota.weekly) return { kind: 'measured', quota }
    return { kind: 'unavailable', detail: `The vendor answered ${status} without rate-limit headers.` }
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return { kind: 'unavailable', detail: cause instanceof Error ? quote(cause.message) : 'The request failed.' }
  }
}
