import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Checker } from './guard.ts'

export type KeyCheck = {
  /** False without a key or with a wrong one. Throws a refusal for a wrong key of a network that has tried too many. */
  accepts(presented: unknown, address: string | undefined): boolean
  /** Counts a wrong secret of another kind as a wrong key. Throws a refusal if the network has tried too many. */
  countWrong(presented: string, address: string | undefined): void
}

type Options = {
  log: Log
  /** Whether a key belongs to another realm. Presenting it here is refused, and does not count as a guess. */
  isOfOtherKind?(key: string): boolean
  now?(): number
}

/** Distinct wrong keys a network may present within the window. Repeating the same wrong key does not count again. */
const maxWrongKeys = 20

const windowMs = 60_000

/** Evict the oldest entry beyond this, so that many networks cannot exhaust the memory. */
const maxRemembered = 1000

type Attempts = { wrong: Set<string>; since: number; isLogged: boolean }

/** For routes that declare `api_key`. */
export function apiKeyChecker(keys: KeyCheck): Checker {
  return (request) => {
    if (!keys.accepts(request.headers['x-api-key'], request.ip)) refuse('unauthorized', 'Invalid or missing API key')
  }
}

/**
 * The API keys with a limit on wrong ones. A right key is accepted whatever its network sent before: the limit must not let
 * one caller with a stale key, or an attacker behind the same address, lock out the others.
 */
export function keyCheck(keys: ApiKeys, options: Options): KeyCheck {
  const { log, isOfOtherKind = () => false, now = () => performance.now() } = options
  const attemptsByNetwork = new Map<string, Attempts>()

  const attemptsOf = (network: string): Attempts => {
    const attempts = attemptsByNetwork.get(network)
    return attempts && now() - attempts.since < windowMs
      ? attempts
      : { wrong: new Set(), since: now(), isLogged: false }
  }
  const refuseFurther = (network: string, attempts: Attempts): never => {
    if (!attempts.isLogged)
      log.warn({ network }, 'too many wrong keys from one network; no more of them are answered for a minute')
    attempts.isLogged = true
    const seconds = Math.ceil((attempts.since + windowMs - now()) / 1000)
    const sentence = `Too many wrong keys from this address; try again in ${seconds} s`
    return refuse('too_many_wrong_keys', sentence, { retry_after: seconds })
  }

  const countWrong = (presented: string, address: string | undefined): void => {
    // A disconnected caller no longer has an address, and a caller on a Unix socket never had one.
    const network = networkOf(address ?? '')
    const key = createHash('sha256').update(presented).digest('base64')
    const attempts = attemptsOf(network)
    if (attempts.wrong.has(key)) return
    if (attempts.wrong.size >= maxWrongKeys) refuseFurther(network, attempts)
    remember(attemptsByNetwork, network, { ...attempts, wrong: attempts.wrong.add(key) })
  }

  return {
    accepts: (presented, address) => {
      if (typeof presented !== 'string' || presented === '' || isOfOtherKind(presented)) return false
      if (keys.accepts(presented)) return true
      countWrong(presented, address)
      return false
    },
    countWrong,
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
