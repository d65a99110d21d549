import type { Finder } from './finder.ts'
import { jsonFoldsOf, spansInSource } from './folded-text.ts'
import { decodeJsonString, type JsonString } from './json-strings.ts'
import { findInLayers, streamedStrings } from './layers.ts'
import { looksRandom } from './random-text.ts'
import type { Span } from './spans.ts'

/** How much of a text on each side of a boundary can belong to a secret that is split there. */
const reach = 512

/**
 * Secrets that are split over adjacent lines, as spans of each line. A stream of events repeats one shape of JSON, each
 * with the next piece of a text in the same field. So the field's values of adjacent lines of one shape are read as one
 * text around each boundary.
 */
export function findSplitSecrets(finder: Finder, lines: readonly string[]): Map<number, Span[]> {
  const found = new Map<number, Span[]>()
  const streamed = lines.map((line) => (line.length <= longestEvent ? streamedStrings(line) : undefined))
  for (let next = 1; next < lines.length; next++) {
    const shape = streamed[next]?.shape
    if (shape === undefined || shape !== streamed[next - 1]?.shape) continue
    for (let field = 0; field < (streamed[next]?.values.length ?? 0); field++) {
      const pieceOf = (index: number): Piece | undefined => {
        const event = streamed[index]
        return event?.shape === shape ? readPiece(lines[index] ?? '', index, event.values[field]) : undefined
      }
      for (const { index, span } of splitAt(finder, next, pieceOf))
        found.set(index, [...(found.get(index) ?? []), span])
    }
  }
  return found
}

/** An event of a stream is short; a longer line is a whole message. */
const longestEvent = 16 * 1024

/** The value of a field in one line. */
type Piece = { index: number; start: number; raw: string; text: string }

function readPiece(line: string, index: number, string: JsonString | undefined): Piece | undefined {
  if (string === undefined) return undefined
  const raw = line.slice(string.start, string.end)
  const text = string.hasEscapes ? decodeJsonString(raw) : raw
  return text === undefined ? undefined : { index, start: string.start, raw, text }
}

function* splitAt(
  finder: Finder,
  next: number,
  pieceOf: (index: number) => Piece | undefined,
): Generator<{ index: number; span: Span }> {
  const before = collect(pieceOf, next - 1, -1).reverse()
  const after = collect(pieceOf, next, 1)
  const boundary = lengthOf(before)
  // The same value in each line is a field such as the type, not a stream.
  if (boundary === 0 || lengthOf(after) === 0 || before.at(-1)?.text === after[0]?.text) return
  const pieces = [...before, ...after]
  const whole = pieces.map(({ text }) => text).join('')
  const from = Math.max(0, boundary - reach)
  const spans = findInLayers(finder, whole.slice(from, boundary + reach)).map((span) => ({
    ...span,
    start: span.start + from,
    end: span.end + from,
  }))
  // A secret that is whole at the end of a line does not continue on the next, unless that goes on as randomly.
  const isWhole = (span: Span): boolean =>
    !looksRandom(whole.slice(boundary, span.end)) &&
    findInLayers(finder, whole.slice(from, boundary)).some(({ end }) => end + from === boundary)
  for (const span of spans) {
    if (span.start >= boundary || span.end <= boundary || isWhole(span)) continue
    let at = 0
    for (const { index, start, raw, text } of pieces) {
      const part = { ...span, start: Math.max(0, span.start - at), end: Math.min(text.length, span.end - at) }
      at += text.length
      const [inLine] = part.start < part.end ? spansInSource([part], jsonFoldsOf(raw), start) : []
      if (inLine !== undefined) yield { index, span: inLine }
    }
  }
}

/** The pieces from a line on, until they hold enough text. */
function collect(pieceOf: (index: number) => Piece | undefined, from: number, step: 1 | -1): Piece[] {
  const pieces: Piece[] = []
  for (let index = from; lengthOf(pieces) < reach && pieces.length < reach; index += step) {
    const piece = pieceOf(index)
    if (piece === undefined) break
    pieces.push(piece)
  }
  return pieces
}

function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0)
}
