import { isIPv6 } from 'node:net'

const loopback = ['localhost', '127.0.0.1', '[::1]']

/**
 * The names we answer to. A browser that was led here under another name (DNS rebinding) is turned away on every route.
 */
export function hostNames(names: readonly string[]): { include(header: string | undefined): boolean } {
  const known = new Set([...loopback, ...names].map((name) => withoutPort(isIPv6(name) ? `[${name}]` : name)))
  return { include: (header) => header !== undefined && known.has(withoutPort(header)) }
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}
