import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { z } from 'zod'
import { GitFailed } from './git-failed.ts'
import type { RepositoryAddress } from './repository-address.ts'

/** The hosts that repositories may come from. */
export type AllowedHosts = {
  /** Why the repository may not be used; undefined if its host is on the list. Asks no name server. */
  problemWith(address: RepositoryAddress): string | undefined
  /**
   * The address to which git must connect. Undefined where git may choose. The name is resolved once, here: a name server that
   * gives git another answer than it gave us would lead it to an address we have not checked.
   * @throws GitFailed of kind `refused`
   */
  pin(address: RepositoryAddress): Promise<Pin | undefined>
}

export type Pin = { host: string; port: string | undefined; address: string }

/** Without a list every host is allowed. */
export const allHosts: AllowedHosts = { problemWith: () => undefined, pin: async () => undefined }

type Entry = { host: string; address: string | undefined }

/** A host name, `host=address`, or `local` for paths on this machine. */
const entryForm = /^(?<host>[a-z0-9._-]+|\[?[0-9a-f:.]+\]?)(?:=(?<address>[0-9a-f:.]+))?$/i

/** The rule for the variable that holds the list. */
export function hostList() {
  return z.string().transform((text, context): readonly Entry[] => {
    const words = text
      .split(',')
      .map((word) => word.trim().toLowerCase())
      .filter(Boolean)
    return words.flatMap((word) => {
      const { host, address } = entryForm.exec(word)?.groups ?? {}
      if (host !== undefined && (address === undefined || isIP(address) !== 0)) {
        return { host: withoutBrackets(host), address }
      }
      context.addIssue({ code: 'custom', message: 'must be host names, separated by commas; each may have =ADDRESS' })
      return []
    })
  })
}

export function allowedHosts(entries: readonly Entry[] | undefined, resolve = resolveName): AllowedHosts {
  if (entries === undefined) return allHosts
  const byHost = new Map(entries.map((entry) => [entry.host, entry]))
  const problemWith = (address: RepositoryAddress): string | undefined => {
    const host = address.transport === 'local' ? 'local' : endpointOf(address).host
    if (byHost.has(host)) return undefined
    return host === 'local'
      ? 'repositories on this machine are not allowed here; GIT_HOSTS lists what is'
      : 'its host is not allowed here; GIT_HOSTS lists those that are'
  }
  return {
    problemWith,
    pin: async (address) => {
      const problem = problemWith(address)
      if (problem !== undefined) throw refused(address, problem)
      if (address.transport === 'local') return undefined
      const { host, port } = endpointOf(address)
      // An address that the operator wrote down is theirs to choose; one that a name server gives is not.
      const chosen = byHost.get(host)?.address
      if (chosen !== undefined) return { host, port, address: chosen }
      const [first, ...others] = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
      if (first === undefined) throw unresolved(address)
      if ([first, ...others].some(isPrivate)) {
        throw refused(address, 'its host has a private address; to allow that one, write host=address in GIT_HOSTS')
      }
      return { host, port, address: first }
    },
  }
}

async function resolveName(host: string): Promise<string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)
}

/** Host and port as git reads them. `url` was rebuilt from checked parts: it is a URL or `user@host:path`. */
function endpointOf({ url }: RepositoryAddress): { host: string; port: string | undefined } {
  const scpLike = /^[^@/]+@(\[[^\]]*\]|[^:/]+):/.exec(url)?.[1]
  if (!url.includes('://') && scpLike !== undefined) return { host: withoutBrackets(scpLike), port: undefined }
  const { hostname, port } = new URL(url)
  return { host: withoutBrackets(hostname.toLowerCase()), port: port === '' ? undefined : port }
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

/**
 * Everything that is not a public address of one host: loopback, private and link-local networks, shared and test ranges,
 * multicast, and the IPv6 forms that contain an IPv4 address.
 */
const privateRanges = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23'],
  ...['2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/9', 'ff00::/8'],
]

/** One list for each family: a list of both takes every IPv4 address for its mapped form. */
const privateAddresses = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const range of privateRanges) {
  const [network = '', bits] = range.split('/')
  privateAddresses[familyOf(network)].addSubnet(network, Number(bits), familyOf(network))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

export function isPrivate(address: string): boolean {
  const [plain = ''] = address.split('%')
  return privateAddresses[familyOf(plain)].check(plain, familyOf(plain))
}

function refused({ url }: RepositoryAddress, reason: string): GitFailed {
  return new GitFailed({ operation: `Reaching ${url}`, kind: 'refused', reason })
}

function unresolved({ url }: RepositoryAddress): GitFailed {
  return new GitFailed({ operation: `Reaching ${url}`, kind: 'network', reason: 'its host name cannot be resolved' })
}
