/**
 * Random text changes its kind of character often: uppercase, lowercase and digits come in pieces of one to three, few
 * of them pronounceable. Words, also in `camelCase2` and `kebab-case-9`, come in longer pieces.
 */
export function looksRandom(value: string): boolean {
  if (value.length < 8) return false
  let pieces = 0
  let length = 0
  let spoken = 0
  let hasDigits = false
  for (let start = 0; start < value.length; ) {
    const kind = kindOf(value.charCodeAt(start))
    const end = endOfPiece(value, start, kind)
    if (kind !== 'sign') {
      pieces++
      length += end - start
    }
    if (kind === 'digit') hasDigits = true
    if (isPronounceable(value, start, end)) spoken += end - start
    start = end
  }
  return (value.length >= 16 && length / pieces <= (hasDigits ? 3 : 2.4)) || spoken * 2 < value.length
}

type Kind = 'small' | 'capital' | 'digit' | 'sign'

function kindOf(code: number): Kind {
  if (code >= 0x61 && code <= 0x7a) return 'small'
  if (code >= 0x41 && code <= 0x5a) return 'capital'
  return code >= 0x30 && code <= 0x39 ? 'digit' : 'sign'
}

/** The last of several capitals belongs to the lowercase letters after it: `HTTPServer` is `HTTP` and `Server`. */
function endOfPiece(value: string, start: number, kind: Kind): number {
  let at = start + 1
  while (at < value.length && kindOf(value.charCodeAt(at)) === kind) at++
  if (kind !== 'capital' || at === value.length || kindOf(value.charCodeAt(at)) !== 'small') return at
  if (at - start > 1) return at - 1
  while (at < value.length && kindOf(value.charCodeAt(at)) === 'small') at++
  return at
}

/** At least three letters, with a vowel and without six consonants in a row. */
function isPronounceable(value: string, start: number, end: number): boolean {
  if (end - start < 3) return false
  let vowels = 0
  let consonants = 0
  for (let at = start; at < end; at++) {
    const letter = value.charCodeAt(at) | 0x20
    if (letter < 0x61 || letter > 0x7a) return false
    if (
      letter === 0x61 ||
      letter === 0x65 ||
      letter === 0x69 ||
      letter === 0x6f ||
      letter === 0x75 ||
      letter === 0x79
    ) {
      vowels++
      consonants = 0
    } else if (++consonants === 6) return false
  }
  return vowels > 0
}
