import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'

/** Counts wrong secrets by the network that presents them. */
export type GuessLimit = {
  /** Throws a refusal if the network has tried too many. */
  refuseIfReached(address: string | undefined): void
  /** Throws a refusal if the network has tried too many others. */
  countWrong(presented: string, address: string | undefined): void
}

/** Distinct wrong secrets a network may present within the window. Repeating the same wrong one does not count again. */
const maxWrong = 20

const windowMs = 60_000

/** Evict the oldest entry beyond this, so that many networks cannot exhaust the memory. */
const maxRemembered = 1000

type Attempts = { wrong: Set<string>; since: number; isLogged: boolean }

/** `what` the secrets are called, in the plural. */
export function guessLimit({
  log,
  what,
  now = () => performance.now(),
}: {
  log: Log
  what: string
  now?(): number
}): GuessLimit {
  const attemptsByNetwork = new Map<string, Attempts>()

  const attemptsOf = (network: string): Attempts => {
    const attempts = attemptsByNetwork.get(network)
    return attempts && now() - attempts.since < windowMs
      ? attempts
      : { wrong: new Set(), since: now(), isLogged: false }
  }
  const refuseIfReached = (network: string, attempts: Attempts): void => {
    if (attempts.wrong.size < maxWrong) return
    if (!attempts.isLogged)
      log.warn({ network }, `too many wrong ${what} from one network; no more of them are answered for a minute`)
    attempts.isLogged = true
    const seconds = Math.ceil((attempts.since + windowMs - now()) / 1000)
    const sentence = `Too many wrong ${what} from this address; try again in ${seconds} s`
    refuse('too_many_wrong_keys', sentence, { retry_after: seconds })
  }

  return {
    refuseIfReached: (address) => {
      const network = networkOf(address ?? '')
      refuseIfReached(network, attemptsOf(network))
    },
    countWrong: (presented, address) => {
      // A disconnected caller no longer has an address, and a caller on a Unix socket never had one.
      const network = networkOf(address ?? '')
      const digest = createHash('sha256').update(presented).digest('base64')
      const attempts = attemptsOf(network)
      if (attempts.wrong.has(digest)) return
      refuseIfReached(network, attempts)
      remember(attemptsByNetwork, network, { ...attempts, wrong: attempts.wrong.add(digest) })
    },
  }
}

function remember<Value>(memory: Map<string, Value>, key: string, value: Value): void {
  memory.delete(key)
  memory.set(key, value)
  for (const oldest of memory.keys()) {
    if (memory.size <= maxRemembered) return
    memory.delete(oldest)
  }
}

/** The address, or for IPv6 its /64: a client with one IPv6 address usually has the whole /64. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return plain
  const [front = '', back = ''] = plain.split('::')
  const head = front.split(':').filter(Boolean)
  // An IPv4 address mapped into IPv6.
  if (back.includes('.')) return back.slice(back.lastIndexOf(':') + 1)
  const tail = back.split(':').filter(Boolean)
  const gap = plain.includes('::') ? Array.from({ length: 8 - head.length - tail.length }, () => '0') : []
  const groups = [...head, ...gap, ...tail].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${groups.join(':')}::/64`
}
