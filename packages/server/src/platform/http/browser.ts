import type { FastifyRequest } from 'fastify'
import { refuse } from '../refusal.ts'

/** A browser that a person uses, as opposed to a caller with a key. */
export type Browser = {
  /** Undefined where pages are open and no name was given. */
  signInId: number | undefined
  /** Of the person, once they gave their name. */
  personKey: string | undefined
  /** Signed in with a key that may only read. */
  isReadOnly: boolean
  /** Under which the browser reaches this server, if it says so. */
  origin: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the checker of routes with auth `browser`. */
    browser: Browser | null
  }
}

type Sent = Pick<FastifyRequest, 'method' | 'headers' | 'protocol'>

/**
 * Refuses what another site's page may have made the browser send with its cookie: every request but a GET must come from a page of this
 * server, and be JSON, which no form can send. A request that does not say where it comes from is refused as well: only a browser
 * has the cookie, and every browser says it.
 */
export function refuseCrossSite(request: Sent): void {
  const { method, headers } = request
  if (method === 'GET' || method === 'HEAD') return
  refuseOtherSite(request)
  const type = headers['content-type']
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type))
    refuse('unsupported_content_type', 'Send the body as application/json')
}

/** As `refuseCrossSite`, for addresses that forms post to. */
export function refuseOtherSite({ method, headers, protocol }: Sent): void {
  if (method === 'GET' || method === 'HEAD') return
  const site = headers['sec-fetch-site']
  const isOwn =
    site === undefined
      ? headers.origin !== undefined && headers.origin === `${protocol}://${headers.host?.toLowerCase()}`
      : site === 'same-origin'
  if (!isOwn) refuse('foreign_origin', 'This can only be done from a page of this server')
}

/**
 * The origin of our page that sent the request. Its host is the one that the request was sent to, which is checked before any route is
 * (`host-names.ts`). The scheme is the browser's word: behind a proxy that ends TLS, only the browser knows it.
 */
export function ownOriginOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const { origin = '', host = '' } = headers
  const isOurs = ['http', 'https'].some((scheme) => origin === `${scheme}://${host.toLowerCase()}`)
  return isOurs ? origin : undefined
}

/** The value of the first cookie with the name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key = '', ...value] = pair.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return undefined
}

/** The path tells the cookies of two servers of one host apart: each page has its own (`private-path.ts`). */
export const cookieName = 'yardmaster'

/** No script can read the cookie, no other site can make the browser send it, and over https it is never sent in the clear. */
export function cookie(
  request: Pick<FastifyRequest, 'protocol'>,
  { value, path, maxAgeSeconds }: { value: string; path: string; maxAgeSeconds: number },
): string {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  return `${cookieName}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`
}
