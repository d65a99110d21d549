import { fold, type Phrase } from './phrase.ts'

/** Where the phrase is in it: from a place up to, not including, another. */
export type Excerpt = { excerpt: string; ranges: { from: number; to: number }[] }

/** Longer if the phrase is. */
const usualLength = 240
const lengthBefore = 80
/** A phrase of one letter is everywhere. */
const maxRanges = 20

/** The text around the first place with the phrase; undefined if it is not in the text. */
export function excerptOf(text: string, { spellings }: Phrase): Excerpt | undefined {
  const folded = fold(text)
  const [first] = spellings
    .map(({ text: phrase }) => ({ from: folded.indexOf(phrase), length: phrase.length }))
    .filter(({ from }) => from !== -1)
    .toSorted(byPlace)
  if (!first) return undefined
  // Few letters are longer in lower case. A place in one text is another one in the other then.
  const shown = folded.length === text.length ? text : folded
  const from = wholeCharacter(shown, Math.max(0, first.from - lengthBefore))
  const to = wholeCharacter(shown, Math.max(from + usualLength, first.from + first.length))
  const part = folded.slice(from, to)
  const ranges = spellings.flatMap(({ text: phrase }) => rangesOf(phrase, part)).toSorted(byPlace)
  return { excerpt: shown.slice(from, to), ranges: ranges.slice(0, maxRanges) }
}

function rangesOf(phrase: string, text: string): Excerpt['ranges'] {
  const ranges: Excerpt['ranges'] = []
  for (let from = text.indexOf(phrase); from !== -1; from = text.indexOf(phrase, from + phrase.length))
    ranges.push({ from, to: from + phrase.length })
  return ranges
}

function byPlace(one: { from: number }, other: { from: number }): number {
  return one.from - other.from
}

/** Before the surrogate pair that the place is in. */
function wholeCharacter(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') && at > 0 ? at - 1 : at
}
