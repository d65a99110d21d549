/** A text to search for, in all spellings that count as equal. */
export type Phrase = {
  spellings: readonly Spelling[]
  /**
   * Whether a match always lies within one chunk. A phrase over several lines, or longer than the overlap of two pieces of a
   * long line, may lie across two chunks.
   */
  isWithinChunks: boolean
  /** Whether the trigram index can narrow the search at all. */
  isIndexable: boolean
}

export type Spelling = {
  text: string
  /** The part of it that is looked up in the index, as a pattern. */
  pattern: string
  /** Whether that part is the whole text. */
  isWhole: boolean
  /** The most selective word, as a pattern; undefined when it is more than half of the text. */
  word: string | undefined
}

/** The overlap of two pieces of a long line, in UTF-16 code units. */
export const sharedUnits = 512
/** The index reads a posting list per trigram; beyond this length more trigrams cost more than they exclude. */
const patternUnits = 64

export function phraseOf(query: string): Phrase {
  const spellings = spellingsOf(fold(query)).map((text) => {
    const part = distinctivePart(text)
    return { text, pattern: patternOf(part), isWhole: part === text, word: selectiveWord(text) }
  })
  return {
    spellings,
    isWithinChunks: spellings.every(({ text }) => text.length <= sharedUnits && !text.includes('\n')),
    isIndexable: spellings.every(({ pattern }) => /[\p{L}\p{N}]{3}/u.test(pattern)),
  }
}

/**
 * The only rule for case. Not the database's, which depends on its locale. `toLowerCase` writes a final sigma differently,
 * so both sigmas become one. U+0001, which JSON writes as an escape, becomes a replacement character.
 */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ').replaceAll(fieldEnd, '\uFFFD')
}

/** Separates the fields of a document. No phrase contains it, so no match spans two fields. */
const fieldEnd = '\u0001'

/** Joins fields into one text: one index lookup instead of one per field. */
export function documentOf(fields: readonly string[]): string {
  return fields.map(fold).join(fieldEnd)
}

/**
 * Returns a matcher for lines that are read one at a time. Only a phrase that contains a line end can match across two
 * lines.
 */
export function lineMatcher({ spellings }: Phrase): (line: string) => boolean {
  const reach = Math.max(...spellings.map(({ text }) => text.length)) - 1
  const isAcrossLines = spellings.some(({ text }) => text.includes('\n'))
  let before = ''
  return (line) => {
    const text = before + fold(line)
    // Not `slice(-reach)`: with a reach of 0 it would keep everything.
    if (isAcrossLines) before = `${text.slice(Math.max(0, text.length - reach))}\n`
    return spellings.some((spelling) => text.includes(spelling.text))
  }
}

/**
 * The phrase as typed, and as the database writes JSON: with a space after each `":` and each `,`. A comma may be part of a
 * value, so one spelling leaves commas alone.
 */
function spellingsOf(typed: string): string[] {
  const afterKeys = typed.replace(/":(?=[^ ])/g, '": ')
  const afterCommas = afterKeys.replace(/,(?=[^ ])/g, ', ')
  return [...new Set([typed, afterKeys, afterCommas])]
}

function patternOf(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`
}

/** Prefers a word with a number, then the longest word. */
function selectiveWord(text: string): string | undefined {
  const words = text.split(/\s+/).filter((word) => word.length <= patternUnits && /[\p{L}\p{N}]{3}/u.test(word))
  const rank = (word: string): number => (/\d{3}/.test(word) ? 1000 : 0) + word.length
  const best = words.reduce((one, other) => (rank(other) > rank(one) ? other : one), '')
  return best === '' || best.length > text.length / 2 ? undefined : patternOf(best)
}

/** The end of the longest line: text copied from a transcript starts like every other entry. */
function distinctivePart(text: string): string {
  const longest = text.split('\n').reduce((one, other) => (other.length > one.length ? other : one))
  if (longest.length <= patternUnits) return longest
  const part = longest.slice(-patternUnits)
  return /^[\uDC00-\uDFFF]/.test(part) ? part.slice(1) : part
}
