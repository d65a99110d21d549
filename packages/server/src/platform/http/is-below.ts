import type { FastifyRequest } from 'fastify'

/** Whether the address is the path or one below it. */
export function isBelow(path: string, { url }: Pick<FastifyRequest, 'url'>): boolean {
  return url.startsWith(path) && /^([/?#]|$)/.test(url.slice(path.length))
}
