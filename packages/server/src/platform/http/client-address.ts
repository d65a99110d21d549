import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Where a request comes from. A proxy on this machine says for whom it asks, in the last place: what stands before that
 * came with the request. Of anybody else's word there is nothing to believe.
 */
export function clientAddress({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): string {
  const last = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim()
  return isLoopback(ip) && last && isIP(last) ? last : ip
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./.test(address) || address === '::1'
}
