import type { Span } from './spans.ts'

/** A part of the source that decodes to other text: `taken` characters at `from` became `kept` characters at `at`. */
export type Fold = { at: number; kept: number; from: number; taken: number }

/** A decoded reading of a text. */
export type Folds = { unfold(): string; places(): Fold[] }

/**
 * Decodes one level of what hides plain characters. Terminal sequences come first, since backslashes between them may
 * be literal. Otherwise backslash escapes (also of JSON in strings), percent-encoding and XML entities.
 */
export function foldsIn(text: string): Folds | undefined {
  const pattern = text.includes('\x1b') && text.search(terminal) !== -1 ? terminal : written
  if (pattern === written && text.search(written) === -1) return undefined
  return { unfold: () => text.replace(pattern, meaning), places: () => foldsBy(text, pattern, meaning) }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
const terminal = /\x1b\[[0-9;?]{0,32}[ -/]{0,2}[@-~]|\x1b[()][A-Z0-9]/g

const written =
  /(?:\\e|\\033|\\x1b|\\u001b)\[[0-9;?]{0,32}[ -/]{0,2}[@-~]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\["'`\\/bfnrt]|%[0-9a-fA-F]{2}|&(?:quot|apos|amp|lt|gt|#39|#34|#x27|#x22);/g

/** The folds of the raw text of a JSON string, matching the result of `JSON.parse`. */
export function jsonFoldsOf(raw: string): Fold[] {
  return foldsBy(raw, /\\(?:u[0-9a-fA-F]{4}|.)/g, () => '-')
}

/** Maps spans of the decoded text to the source. A sequence at either edge of a span stays outside. */
export function spansInSource(spans: readonly Span[], folds: readonly Fold[], offset = 0): Span[] {
  return spans.map((span) => ({
    ...span,
    start: offset + span.start + shiftAt(folds, span.start, true),
    end: offset + span.end + shiftAt(folds, span.end, false),
  }))
}

function foldsBy(text: string, pattern: RegExp, meaningOf: (fold: string) => string): Fold[] {
  const folds: Fold[] = []
  let shift = 0
  for (const match of text.matchAll(pattern)) {
    const taken = match[0].length
    const kept = meaningOf(match[0]).length
    folds.push({ at: match.index - shift, kept, from: match.index, taken })
    shift += taken - kept
  }
  return folds
}

/** The offset from a position in the decoded text to the source. */
function shiftAt(folds: readonly Fold[], place: number, isStart: boolean): number {
  let low = 0
  let high = folds.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(folds[middle], place, isStart)) low = middle + 1
    else high = middle
  }
  const last = folds[low - 1]
  return last === undefined ? 0 : last.from + last.taken - (last.at + last.kept)
}

function isBefore(fold: Fold | undefined, place: number, isStart: boolean): boolean {
  if (fold === undefined) return false
  return isStart ? fold.at + fold.kept <= place : fold.at + fold.kept <= place && fold.at < place
}

function meaning(fold: string): string {
  const first = fold[0]
  if (first === '%') return String.fromCharCode(Number.parseInt(fold.slice(1), 16))
  if (first === '&') return entities[fold] ?? fold
  if (first !== '\\' || fold.includes('[')) return ''
  if (fold.length > 2) return String.fromCharCode(Number.parseInt(fold.slice(2), 16))
  return escapes[fold] ?? fold.slice(1)
}

const entities: Record<string, string> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&#x27;': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
}

const escapes: Record<string, string> = { '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\b': '\b', '\\f': '\f' }
