import { withoutNul } from '../platform/storable-text.ts'

/**
 * Text of an agent or its vendor, to be quoted in a sentence of ours. Longer than readers need, because redaction comes
 * before the final truncation: a truncated secret no longer matches its pattern. Without NUL, which PostgreSQL rejects.
 */
export function quote(text: string): string {
  return withoutNul(text.trim().slice(0, maxCharacters))
}

const maxCharacters = 16 * 1024
