import type { Fold } from './folded-text.ts'
import { looksRandom } from './random-text.ts'
import type { Span } from './spans.ts'

/** Adjacent lines that were one line before something like `fold` cut it at a column. */
export type WrappedLines = {
  start: number
  text: string
  /** The line breaks that are not in `text`. */
  breaks: Fold[]
}

/** A narrower column cuts words rather than secrets, and a wider one is not a column. */
const narrowest = 12
const widest = 200
/** The columns that people and programs choose. */
const usualColumns = new Set([16, 20, 24, 30, 32, 40, 48, 50, 60, 64, 70, 72, 76, 78, 80, 100, 120, 128, 132, 160])

/**
 * Finds lines of exactly the same length that are cut inside a word, with the shorter line that ends them. `secrets` are
 * those already found: one that is whole at the end of a line does not continue on the next.
 */
export function findWrappedLines(text: string, secrets: readonly Span[]): WrappedLines[] {
  const starts = new Set(secrets.map(({ start }) => start))
  const ends = new Set(secrets.map(({ end }) => end))
  const isWhole = (end: number, next: number): boolean =>
    ends.has(end) && (starts.has(next) || !looksRandom(firstWord(text, next)))
  const found: WrappedLines[] = []
  let run: WrappedLines | undefined
  const close = (): void => {
    if (run !== undefined) found.push(run)
    run = undefined
  }
  let longest = 0
  let longestCount = 0
  let before = { start: 0, end: -1 }
  for (let start = 0; start <= text.length; ) {
    const breakAt = text.indexOf('\n', start)
    const end = breakAt === -1 ? text.length : breakAt
    const width = before.end - before.start
    if (isContinued(text, before, { start, end }, run?.breaks[0]?.at) && !isWhole(before.end, start)) {
      run ??= { start: before.start, text: text.slice(before.start, before.end), breaks: [] }
      run.breaks.push({ at: run.text.length, kept: 0, from: before.end - run.start, taken: 1 })
      run.text += text.slice(start, end)
      if (end - start < width) close()
    } else close()
    if (end - start > longest) {
      longest = end - start
      longestCount = 0
    }
    if (end - start === longest) longestCount++
    before = { start, end }
    start = end + 1
  }
  close()
  // Two lines are no evidence of a column, unless it is a usual one or the edge of the whole text.
  return found.filter(({ breaks }) => {
    const column = breaks[0]?.at ?? 0
    return breaks.length > 1 || usualColumns.has(column) || (column === longest && longestCount > 1)
  })
}

type Line = { start: number; end: number }

function isContinued(text: string, before: Line, line: Line, column?: number): boolean {
  const width = before.end - before.start
  if (column !== undefined && width !== column) return false
  const length = line.end - line.start
  return (
    width >= narrowest &&
    width <= widest &&
    length > 0 &&
    length <= width &&
    isPartOfWord(text.charCodeAt(before.end - 1)) &&
    isPartOfWord(text.charCodeAt(line.start))
  )
}

function firstWord(text: string, start: number): string {
  let end = start
  while (end - start < 100 && isPartOfWord(text.charCodeAt(end))) end++
  return text.slice(start, end)
}

/** Letters, digits and the signs that tokens are made of. */
function isPartOfWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x3d ||
    code === 0x2e ||
    code === 0x3a
  )
}
