import { createHash, timingSafeEqual } from 'node:crypto'

export type ApiKeys = {
  /** The place of the key in the list. Undefined for any other text. */
  placeOf(presented: unknown): number | undefined
}

/**
 * Compares digests, which all have the same length, and always compares every key: the time a refusal takes reveals
 * nothing about the keys.
 */
export function apiKeys(keys: readonly string[]): ApiKeys {
  const digests = keys.filter((key) => key !== '').map(digestOf)
  return {
    placeOf: (presented) => {
      const candidate = digestOf(typeof presented === 'string' ? presented : '')
      let place: number | undefined
      digests.forEach((digest, index) => {
        const isSame = timingSafeEqual(digest, candidate)
        place = isSame ? index : place
      })
      return place
    },
  }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
