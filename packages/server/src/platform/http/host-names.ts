import { isIPv6 } from 'node:net'

const loopback = ['localhost', '127.0.0.1', '[::1]']

export type HostNames = { include(header: string | undefined): boolean }

/**
 * The host names this server accepts. Every route refuses a browser that DNS rebinding led here under another name.
 */
export function hostNames(names: readonly string[]): HostNames {
  const known = new Set([...loopback, ...names].map((name) => withoutPort(isIPv6(name) ? `[${name}]` : name)))
  return { include: (header) => header !== undefined && known.has(withoutPort(header)) }
}

function withoutPort(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}
