/** A text to be found, in each of the spellings that count as the same. */
export type Phrase = {
  spellings: readonly Spelling[]
  /**
   * Whether a chunk that holds a spelling settles the matter. A phrase over several lines, or longer than what
   * neighbouring pieces of a long line share, may lie across two chunks.
   */
  isWithinChunks: boolean
  /** Whether the trigram index can narrow it down at all. */
  isIndexable: boolean
}

export type Spelling = {
  text: string
  /** The part of it that the index is asked for, as a pattern. */
  pattern: string
  /** Whether the part is all of it. */
  isWhole: boolean
  /** The word that says most, as a pattern; undefined where there is not much else. */
  word: string | undefined
}

/** What neighbouring pieces of a long line have in common, in UTF-16 units. */
export const sharedUnits = 512
/** The index reads a list for each three letters in turn; beyond this more of them cost more than they exclude. */
const patternUnits = 64

export function phraseOf(query: string): Phrase {
  const spellings = spellingsOf(fold(query)).map((text) => {
    const part = distinctivePart(text)
    return { text, pattern: patternOf(part), isWhole: part === text, word: tellingWord(text) }
  })
  return {
    spellings,
    isWithinChunks: spellings.every(({ text }) => text.length <= sharedUnits && !text.includes('\n')),
    isIndexable: spellings.every(({ pattern }) => /[\p{L}\p{N}]{3}/u.test(pattern)),
  }
}

/**
 * The one rule of upper and lower case, here and not in the database, whose rule depends on where it was set up. Letter by
 * letter: `toLowerCase` itself writes a sigma at the end of a word in another way, so the two are made one. U+0001, which
 * JSON writes as an escape, counts as a character that cannot be read.
 */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ').replaceAll(fieldEnd, '\uFFFD')
}

/** What lies between two fields of a document. No phrase has it, so none reaches from one field into the next. */
const fieldEnd = '\u0001'

/** Several fields as one text: one look into the index instead of one for each. */
export function documentOf(fields: readonly string[]): string {
  return fields.map(fold).join(fieldEnd)
}

/**
 * Whether one of the spellings occurs in lines that are read one by one. Lines that were never broken are never joined:
 * only a phrase with a line end of its own lies across two.
 */
export function watchFor({ spellings }: Phrase): (line: string) => boolean {
  const reach = Math.max(...spellings.map(({ text }) => text.length)) - 1
  const isAcrossLines = spellings.some(({ text }) => text.includes('\n'))
  let before = ''
  return (line) => {
    const text = before + fold(line)
    // Not `slice(-reach)`, which takes everything when there is nothing to take.
    if (isAcrossLines) before = `${text.slice(Math.max(0, text.length - reach))}\n`
    return spellings.some((spelling) => text.includes(spelling.text))
  }
}

/**
 * As it was typed, and as JSON that the database has written reads: a space after each `":` and each `,`. A comma may stand
 * inside a value, so there is also the spelling that leaves commas alone.
 */
function spellingsOf(typed: string): string[] {
  const afterKeys = typed.replace(/":(?=[^ ])/g, '": ')
  const afterCommas = afterKeys.replace(/,(?=[^ ])/g, ', ')
  return [...new Set([typed, afterKeys, afterCommas])]
}

function patternOf(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`
}

/** A number tells one thing from another best, then a long word. */
function tellingWord(text: string): string | undefined {
  const words = text.split(/\s+/).filter((word) => word.length <= patternUnits && /[\p{L}\p{N}]{3}/u.test(word))
  const rank = (word: string): number => (/\d{3}/.test(word) ? 1000 : 0) + word.length
  const best = words.reduce((one, other) => (rank(other) > rank(one) ? other : one), '')
  return best === '' || best.length > text.length / 2 ? undefined : patternOf(best)
}

/** Of its longest line the end: what is copied from a transcript begins like every other entry. */
function distinctivePart(text: string): string {
  const longest = text.split('\n').reduce((one, other) => (other.length > one.length ? other : one))
  if (longest.length <= patternUnits) return longest
  const part = longest.slice(-patternUnits)
  return /^[\uDC00-\uDFFF]/.test(part) ? part.slice(1) : part
}
