import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Page, renderPage, stylesheetPath } from '../html/page.ts'
import { stylesheet } from '../html/stylesheet.ts'
import { refuse } from '../refusal.ts'
import { linkPrivately } from './private-path.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page for people: its refusals are pages too, and another site's page may not post to it. */
    isPage?: true
  }
}

/** Serves what every page links to. */
export function registerPageKit(server: FastifyInstance): void {
  server.get(stylesheetPath, { config: { auth: 'none' } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'no-cache').send(stylesheet),
  )
}

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers(headersOf(page))
    .type('text/html; charset=utf-8')
    .send(linkPrivately(reply.request, renderPage(page)))
}

/**
 * Pages have forms, which only reach this server, unless the page names an origin that their answers lead to. With `no-referrer` a browser would send `Origin: null` with a form, and
 * `refuseForeignOrigin` could not tell our own pages from others.
 */
function headersOf({ formOrigin = '' }: Page) {
  const formAction = `form-action 'self' ${formOrigin}`.trim()
  return {
    'referrer-policy': 'same-origin',
    'content-security-policy': `default-src 'none'; style-src 'self'; ${formAction}; base-uri 'none'; frame-ancestors 'none'`,
  }
}

/** Whether the caller asked for a page by name. A program that accepts anything gets JSON. */
export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return (headers.accept ?? '').toLowerCase().includes('text/html')
}

/**
 * A browser adds the operator's password to a form that another site's page posts here. It also says where the form came
 * from: `Sec-Fetch-Site`, or `Origin` in an older browser. A program sends neither, and has no password it does not know.
 */
export function refuseForeignOrigin({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
  if (method === 'GET' || method === 'HEAD') return
  const site = headers['sec-fetch-site']
  const isOwn =
    site === undefined
      ? headers.origin === undefined || isSameHost(headers.origin, headers.host)
      : site === 'same-origin'
  if (!isOwn) refuse('foreign_origin', 'This action can only be started from a page of this server')
}

/** The scheme is not compared: behind a proxy that ends TLS, only the browser knows it. */
function isSameHost(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}
