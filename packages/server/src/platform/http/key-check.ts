import type { FastifyRequest } from 'fastify'
import type { Log } from '../log/log.ts'
import { refuse } from '../refusal.ts'
import type { ApiKeys } from './api-keys.ts'
import type { Checker } from './guard.ts'
import { guessLimit } from './guess-limit.ts'

export const keyScopes = ['read', 'full'] as const
export type KeyScope = (typeof keyScopes)[number]

/** Whose key was presented. */
export type KeyHolder = {
  label: string
  scope: KeyScope
  /** Undefined for a key of `API_KEYS`. */
  keyId: number | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A read that needs a key with full scope. */
    needsFullScope?: true
  }
  interface FastifyRequest {
    /** Set by the checker of routes with auth `api_key`. */
    keyHolder: KeyHolder | null
  }
}

export type KeyCheck = {
  /** Undefined without a key or with a wrong one. Throws a refusal for a wrong key of a network that has tried too many. */
  find(presented: unknown, address: string | undefined): Promise<KeyHolder | undefined>
  /** Counts a wrong secret of another kind as a wrong key. Throws a refusal if the network has tried too many. */
  countWrong(presented: string, address: string | undefined): void
}

type Options = {
  log: Log
  /** Whether a key belongs to another realm. Presenting it here is refused, and does not count as a guess. */
  isOfOtherKind?(key: string): boolean
  /** The stored keys, which have a name and a scope. */
  findStored?(key: string): Promise<KeyHolder | undefined>
  now?(): number
}

/** For routes that declare `api_key`. */
export function apiKeyChecker(keys: KeyCheck): Checker {
  return async (request) => {
    const holder = await keys.find(request.headers['x-api-key'], request.ip)
    if (!holder) return refuse('unauthorized', 'Invalid or missing API key')
    request.keyHolder = holder
    if (holder.scope === 'read') refuseUnlessReading(request)
  }
}

/** For callers who may only read. An address without a route changes nothing, and is answered as to everyone. */
export function refuseUnlessReading({ method, is404, routeOptions }: FastifyRequest): void {
  const { needsFullScope, isWrite } = routeOptions.config ?? {}
  const isReading = (method === 'GET' || method === 'HEAD') && !isWrite
  if (isReading && needsFullScope) refuse('read_only_key', 'Reading this needs a key with the scope full')
  if (!isReading && !is404) refuse('read_only_key', 'This key may only read')
}

/**
 * The API keys with a limit on wrong ones. A right key is accepted whatever its network sent before: the limit must not let
 * one caller with a stale key, or an attacker behind the same address, lock out the others.
 */
export function keyCheck(keys: ApiKeys, options: Options): KeyCheck {
  const { log, isOfOtherKind = () => false, findStored, now } = options
  const { countWrong } = guessLimit({ log, what: 'keys', ...(now && { now }) })
  return {
    find: async (presented, address) => {
      if (typeof presented !== 'string' || presented === '' || isOfOtherKind(presented)) return undefined
      const place = keys.placeOf(presented)
      if (place !== undefined) return { label: `API_KEYS ${place + 1}`, scope: 'full', keyId: undefined }
      const stored = await findStored?.(presented)
      if (!stored) countWrong(presented, address)
      return stored
    },
    countWrong,
  }
}
