import { withoutNul } from '../platform/storable-text.ts'
import { leadingWords } from '../platform/whole-words.ts'

/**
 * Text of an agent or its vendor, to be quoted in a sentence of ours. Longer than readers need, because redaction comes
 * before the final truncation. Without NUL, which PostgreSQL rejects.
 */
export function quote(text: string): string {
  return withoutNul(leadingWords(text.trim(), maxCharacters))
}

const maxCharacters = 16 * 1024
