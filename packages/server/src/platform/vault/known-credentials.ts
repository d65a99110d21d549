import { parseJson } from '../parse-json.ts'
import type { KnownSecret } from '../redaction/known-values.ts'

/** The credentials that this process has sealed, opened or loaded, for the redactor. */
export type KnownCredentials = {
  learn(table: string, text: string): void
  isFull(): boolean
  all(): readonly KnownSecret[]
}

/**
 * Every known value costs the redactor some dozens of spellings, and about a third of a millisecond whenever another one is
 * learned. Evict the one that was learned or met again longest ago: stored credentials are met again at every load.
 */
const mostValues = 1000

export function openKnownCredentials(): KnownCredentials {
  const labels = new Map<string, string>()
  // The redactor compares the list on every call, so it stays the same one while nothing is learned.
  let list: readonly KnownSecret[] | undefined
  return {
    learn(table, text) {
      for (const value of secretsIn(text)) {
        const label = labels.get(value)
        labels.delete(value)
        labels.set(value, label ?? `CREDENTIAL:${table}`)
        if (label !== undefined) continue
        const [oldest] = labels.keys()
        if (labels.size > mostValues && oldest !== undefined) labels.delete(oldest)
        list = undefined
      }
    },
    isFull: () => labels.size >= mostValues,
    all: () => {
      list ??= [...labels].map(([value, label]) => ({ label, value }))
      return list
    },
  }
}

/** A credential is one text, or JSON with tokens in it: an agent prints one token rather than the whole login file. */
function secretsIn(text: string): string[] {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  return value === undefined ? [text] : [text, ...textsIn(value).filter(isTokenLike)]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Addresses, times, ids and lists of scopes stand beside the tokens and are no secrets. */
function isTokenLike(text: string): boolean {
  return text.length >= 16 && !/\s|^[a-z][a-z0-9+.-]*:\/\/|^[\d:.TZ+-]+$|^[0-9a-f-]{36}$|@/i.test(text)
}
