import type { FastifyRequest } from 'fastify'
import { isBelow } from './is-below.ts'

/**
 * Browsers send a cookie to every port of a host, so a server that an agent starts beside ours would get it. But they compare its
 * path. So a page keeps a secret in its storage, which browsers bind to the port, and sends its requests below `/web/~<secret>`. The
 * cookie is given for that path, which no other server can name.
 */
const shape = /^\/web\/~[\w-]{22,128}(?=[/?]|$)/

type Sent = Pick<FastifyRequest, 'originalUrl'>

/** Besides `/web`: addresses that forms may post to. */
export const formPaths = ['/mcp_oauth', '/connector_credentials'] as const

/** What a page may ask for below its private path although it is not below `/web`. */
const pagePaths = ['/jobs', ...formPaths]

/** `/web/~<secret>`. Undefined for a request that was sent elsewhere: no cookie counts there. */
export function privatePathOf({ originalUrl }: Sent): string | undefined {
  return shape.exec(originalUrl)?.[0]
}

/** The address that routes know: `/web/~<secret>/v1/sessions` is `/web/v1/sessions`, and `/web/~<secret>/jobs` is `/jobs`. */
export function withoutPrivatePath(url = ''): string {
  const [path] = shape.exec(url) ?? []
  if (path === undefined) return url
  const rest = url.slice(path.length)
  return pagePaths.some((each) => isBelow(each, { url: rest })) ? rest : `/web${rest}`
}

/** Where the same browser gets it with its cookie. */
export function privately(request: Sent, address: string): string {
  const path = privatePathOf(request)
  return path !== undefined && pagePaths.some((each) => isBelow(each, { url: address })) ? path + address : address
}

/** The links of a page lead to where the cookie is sent that the page was read with. */
export function linkPrivately(request: Sent, document: string): string {
  if (privatePathOf(request) === undefined) return document
  // A text cannot look like a link: its quotes are escaped.
  return document.replace(/ (href|action)="([^"]*)"/g, (_, attribute, address) => {
    return ` ${attribute}="${privately(request, address)}"`
  })
}
