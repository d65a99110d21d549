import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { RemoteFailed } from './remote-failed.ts'

/** Reserved networks: this host, private, link-local, shared, documentation, multicast. */
const reserved = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved.addSubnet(network, prefix)
// Documentation, and networks that carry an IPv4 address.
for (const [network, prefix] of [
  ['2001:db8::', 32],
  ['2001::', 32],
  ['2002::', 16],
] as const)
  reserved.addSubnet(network, prefix, 'ipv6')

/** All that is assigned as global unicast. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !reserved.check(address)
  return family === 6 && global.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}

/**
 * Why a request to this address is refused. A host name is looked up when the request is sent, by `lookUpPublic`, so that what
 * was checked is what is connected to.
 */
export function problemWithAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return 'is not an address'
  const { protocol, hostname, username, password } = new URL(address)
  if (protocol !== 'https:') return 'must be an https address'
  if (username !== '' || password !== '') return 'must have no user name or password'
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(literal) !== 0 && !isPublicAddress(literal) ? 'must be a public address' : undefined
}

/** Finds the addresses of a host name; fails if any of them is not public. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first) return callback(error, '')
    if (!addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new RemoteFailed('refused', 'its host name leads to a private address'), '')
    if (options.all) return callback(null, addresses)
    callback(null, first.address, first.family)
  })
}
