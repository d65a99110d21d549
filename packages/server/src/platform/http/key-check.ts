import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import type { ApiKeys } from './api-keys.ts'

export type KeyCheck = {
  /** False for no key and for a wrong one. Throws for an address that has tried too many to be told about another. */
  accepts(presented: unknown, address: string | undefined): boolean
}

type Options = {
  log: Log
  /** Whether a key is one of those that open another door, and no try to open this one. */
  isOfOtherKind?(key: string): boolean
  now?(): number
}

/** Different keys that are all wrong, from one network in one minute. The same mistake made again is not another try. */
const mostWrongKeys = 20

const windowMs = 60_000

/** What is remembered of others is dropped first for those who come later, so that no crowd fills the memory. */
const mostRemembered = 1000

type Tries = { wrong: Set<string>; since: number; isTold: boolean }

/**
 * The keys, with a limit on guessing. A key that was right on a network stays right there, so that whoever guesses keeps
 * nobody out but those who are new to the network the guesses come from, and those for a minute.
 */
export function keyCheck(keys: ApiKeys, options: Options): KeyCheck {
  const { log, isOfOtherKind = () => false, now = () => performance.now() } = options
  const triesByNetwork = new Map<string, Tries>()
  const proven = new Map<string, true>()

  const triesOf = (network: string): Tries => {
    const tries = triesByNetwork.get(network)
    return tries && now() - tries.since < windowMs ? tries : { wrong: new Set(), since: now(), isTold: false }
  }
  const refuseFurther = (network: string, tries: Tries): never => {
    if (!tries.isTold) log.warn({ network }, 'too many wrong API keys from one network; it has to wait')
    tries.isTold = true
    const seconds = Math.ceil((tries.since + windowMs - now()) / 1000)
    const sentence = `Too many wrong API keys from this address; try again in ${seconds} s`
    return refuse('too_many_wrong_keys', sentence, { retry_after: seconds })
  }

  return {
    accepts: (presented, address) => {
      if (typeof presented !== 'string' || presented === '' || isOfOtherKind(presented)) return false
      // A caller that is gone has no address any more, and one on a socket in the file system never had.
      const network = networkOf(address ?? '')
      const key = createHash('sha256').update(presented).digest('base64')
      const proof = `${network} ${key}`
      const tries = triesOf(network)
      if (tries.wrong.has(key)) return false
      if (tries.wrong.size >= mostWrongKeys && !proven.has(proof)) return refuseFurther(network, tries)
      if (keys.accepts(presented)) {
        remember(proven, proof, true)
        return true
      }
      remember(triesByNetwork, network, { ...tries, wrong: tries.wrong.add(key) })
      return false
    },
  }
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key)
  memory.set(key, value)
  for (const oldest of memory.keys()) {
    if (memory.size <= mostRemembered) return
    memory.delete(oldest)
  }
}

/** Whoever has an IPv6 address has a whole network of them. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return plain
  const [front = '', back = ''] = plain.split('::')
  const head = front.split(':').filter(Boolean)
  // An IPv4 address in the clothes of the other kind.
  if (back.includes('.')) return back.slice(back.lastIndexOf(':') + 1)
  const tail = back.split(':').filter(Boolean)
  const gap = plain.includes('::') ? Array.from({ length: 8 - head.length - tail.length }, () => '0') : []
  const groups = [...head, ...gap, ...tail].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${groups.join(':')}::/64`
}
