import { retryAfterSeconds } from './retry-after.ts'

/** More than any answer that we ask for: a page of 100 items with long texts. */
const maxBytes = 16 * 1024 * 1024
const maxRedirects = 3
/** For a throttle that names no delay. */
const defaultDelaySeconds = 60

/**
 * `fetch` for a system that we do not own and send a token to. Follows a redirect only to the same origin, so that neither the
 * token nor the request reaches another host. An answer that does not end is cut, and `retry-after` is always in seconds.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  let url = new URL(input instanceof Request ? input.url : input)
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetch(url, { ...init, redirect: 'manual' })
    const location = isRedirect(response.status) ? response.headers.get('location') : null
    if (location === null) return bounded(response)
    await response.body?.cancel()
    const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined
    if (target?.origin !== url.origin) throw new Error('the answer is a redirect to another host')
    if (redirects >= maxRedirects || init?.redirect === 'error') throw new Error('the answer is a redirect')
    url = target
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

function bounded({ body, status, statusText, headers: received }: Response): Response {
  const headers = new Headers(received)
  const delay =
    retryAfterSeconds(headers.get('retry-after') ?? undefined) ?? (status === 429 ? defaultDelaySeconds : undefined)
  if (delay === undefined) headers.delete('retry-after')
  else headers.set('retry-after', String(delay))
  return new Response(body?.pipeThrough(limited()) ?? null, { status, statusText, headers })
}

function limited(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      size += chunk.byteLength
      if (size > maxBytes) controller.error(new Error(`the answer is larger than ${maxBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
