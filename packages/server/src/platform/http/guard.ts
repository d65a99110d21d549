import { type Auth, authKinds, type Sender } from '@yardmaster/contract/endpoint'
import type { FastifyReply, FastifyRequest, RequestPayload, RouteOptions } from 'fastify'
import { refuse, refuseMissing } from '../refusal.ts'
import { refuseCrossSite, refuseOtherSite } from './browser.ts'
import { type HostNames, hostNames } from './host-names.ts'
import { isBelow } from './is-below.ts'
import { refuseForeignOrigin } from './pages.ts'
import { formPaths } from './private-path.ts'
import { checkSignedBody, type WebhookChecker } from './signed-body.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: Auth
    /** The platform that signs the requests of a route with auth `webhook`. */
    signedBy?: Sender
  }
}

/** Throws a refusal if the request does not prove what its route asks for. The reply is for a header of that refusal. */
export type Checker = (request: FastifyRequest, reply: Pick<FastifyReply, 'header'>) => void | Promise<void>

/** One for each kind of auth that a route may declare. The API's own is also asked about addresses without a route. */
export type Checkers = { api_key: Checker; webhook?: WebhookChecker } & {
  [Kind in Exclude<Auth, 'none' | 'webhook'>]?: Checker
}

export type Guard = {
  /** Throws for a route that does not declare its auth, or declares a kind without a checker. */
  admitRoute(route: Pick<RouteOptions, 'method' | 'url' | 'config'>): void
  /** Runs before the body is read and before anything is looked up, also for addresses without a route. */
  check(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** For routes with auth `webhook`, when the headers have passed `check`: a signed body is checked before it is parsed. */
  checkBody(request: FastifyRequest, payload: RequestPayload): Promise<RequestPayload>
}

/** Answers requests to addresses without a route. */
export type Fallback = {
  accepts(request: FastifyRequest): Promise<boolean>
  serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

type GuardOptions = { checkers: Checkers; hosts: readonly string[]; fallback?: Fallback | undefined }

export function guardOf({ checkers, hosts, fallback }: GuardOptions): Guard {
  const names = hostNames(hosts)
  return {
    admitRoute: ({ method, url, config }) => {
      const address = `${[method].flat().join(', ')} ${url}`
      const auth = config?.auth
      if (auth === undefined) throw new Error(`${address} does not declare its auth: one of ${authKinds.join(', ')}`)
      if (auth !== 'none' && !checkers[auth]) throw new Error(`${address} declares auth ${auth}, which has no checker`)
      if (auth !== 'operator' && isBelow('/supervisor', { url }))
        throw new Error(`${address} is below /supervisor and must declare auth operator`)
      if (auth !== 'browser' && isBelow('/web', { url }) && address !== signInAddress)
        throw new Error(`${address} is below /web and must declare auth browser`)
      if (auth === 'browser' && ![...formPaths, '/web'].some((path) => isBelow(path, { url })))
        throw new Error(`${address} declares auth browser, whose cookie is not sent there`)
    },
    check: async (request, reply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id)
      refuseTwoHosts(request, names)
      if (!names.include(request.headers.host)) {
        refuse(
          'unknown_host',
          'This server does not answer to that host name; set APP_HOST to the name it is reached by',
        )
      }
      const auth = authOf(request)
      if (isBelow('/web', { url: request.routeOptions.url ?? request.url })) refuseCrossSite(request)
      else if (auth === 'browser') refuseOtherSite(request)
      if (auth === 'webhook') checkers.webhook?.admit(request)
      else if (auth !== 'none') await checkers[auth]?.(request, reply)
      if (auth === 'operator' || request.routeOptions.config?.isPage) refuseForeignOrigin(request)
      if (request.is404 && !(await fallback?.accepts(request))) refuseMissing()
    },
    checkBody: async (request, payload) => {
      const { webhook } = checkers
      return webhook ? checkSignedBody(webhook, request, payload) : payload
    },
  }
}

/**
 * Node reads the first of two Host headers, and ignores the authority of `GET http://evil.test/`. A proxy in front may read
 * the other one, so a request that names two hosts is refused.
 */
function refuseTwoHosts({ raw }: FastifyRequest, names: HostNames): void {
  if (countHosts(raw.rawHeaders) > 1) refuse('malformed_request', 'The request has more than one Host header')
  if (raw.url?.startsWith('/')) return
  const [, authority] = absoluteForm.exec(raw.url ?? '') ?? []
  if (authority !== undefined && !names.include(authority.slice(authority.lastIndexOf('@') + 1)))
    refuse('malformed_request', 'The request line names another host than this server')
}

/** Names and values in turn. Every request pays for this, so it makes no list. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

const absoluteForm = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i

/** The one address below `/web` that needs no cookie: it gives one. */
const signInAddress = 'POST /web/session'

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  // None of our pages needs what a browser could be asked for.
  'permissions-policy':
    'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  'cache-control': 'no-store',
}

/**
 * The auth of the matched route, never of the address as it was written: `/%61pi/v1/sessions` and
 * `http://localhost/api/v1/sessions` match the same route. `admitRoute` makes sure that every route declares it, so
 * only an address without a route has none: below `/api` it needs a key, below `/web` a cookie, and below the operator's pages
 * their password, so that a stranger learns no addresses.
 */
function authOf(request: FastifyRequest): Auth {
  const declared = request.routeOptions.config?.auth
  if (declared !== undefined) return declared
  if (isBelow('/api', request)) return 'api_key'
  if (isBelow('/web', request)) return 'browser'
  return ['/supervisor', '/jobs'].some((path) => isBelow(path, request)) ? 'operator' : 'none'
}
