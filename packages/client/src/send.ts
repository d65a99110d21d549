import { Problem, problemOf } from './problem.ts'

export type Connection = {
  url: string
  key: string | undefined
  fetch: typeof fetch
  retry: { attempts: number; maxWaitMs: number }
  /** Where an address of the API is for this caller. */
  place(path: string): string
}

export type Call = {
  method: string
  path: string
  body: unknown
  /** Whether sending it twice does no more than sending it once. */
  isIdempotent: boolean
  signal: AbortSignal | undefined
}

/** Sends a call and returns its body. An idempotent call is sent again when the server or the network is unavailable. */
export async function send(connection: Connection, call: Call): Promise<unknown> {
  const { attempts, maxWaitMs } = connection.retry
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(connection, call)
    } catch (error) {
      const waitMs = waitBeforeRetry(error, attempt)
      const mayRetry = call.isIdempotent && attempt < attempts && !call.signal?.aborted
      if (!mayRetry || waitMs === undefined || waitMs > maxWaitMs) throw error
      await sleep(waitMs, call.signal)
    }
  }
}

async function sendOnce(connection: Connection, { method, path, body, signal }: Call): Promise<unknown> {
  const { fetch: request, url, place } = connection
  const response = await request(url + place(path), {
    method,
    headers: { ...headersOf(connection), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (!response.ok) throw await problemOf(response)
  const type = response.headers.get('content-type') ?? ''
  // Not read into memory: it may be larger than that.
  if (type === 'application/zip') return response.body
  const text = await response.text()
  if (text === '') return undefined
  return type.startsWith('application/json') ? JSON.parse(text) : text
}

export function headersOf({ key }: Connection): Record<string, string> {
  return key === undefined ? {} : { 'x-api-key': key }
}

/** Undefined if another attempt cannot help. `fetch` throws a `TypeError` when it reaches no server. */
export function waitBeforeRetry(error: unknown, attempt: number): number | undefined {
  const backoffMs = Math.min(500 * 2 ** (attempt - 1), 15_000)
  if (error instanceof TypeError) return backoffMs
  if (!(error instanceof Problem) || ![429, 502, 503, 504].includes(error.status)) return undefined
  return error.retryAfter === undefined ? backoffMs : error.retryAfter * 1000
}

/** Returns early when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish)
    if (signal?.aborted) finish()
  })
}
