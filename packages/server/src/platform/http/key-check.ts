import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Checker } from './guard.ts'
import { guessLimit } from './guess-limit.ts'

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
  const { log, isOfOtherKind = () => false, now } = options
  const { countWrong } = guessLimit({ log, what: 'keys', ...(now && { now }) })
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
