import { withoutNul } from '../platform/storable-text.ts'

/**
 * What an agent or its vendor said, for a sentence of ours. More than anybody reads: it is cut to a reader's length when it
 * has been redacted, since half a secret is not recognised as one. Without NUL, which no column takes.
 */
export function quote(text: string): string {
  return withoutNul(text.trim().slice(0, maxCharacters))
}

const maxCharacters = 16 * 1024
