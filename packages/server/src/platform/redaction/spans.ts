import { markerStart } from './placeholder.ts'

/** A part of a text to be replaced. Where spans overlap, the label of the lowest rank applies. */
export type Span = { start: number; end: number; label: string; rank: number }

/** Sorts spans and merges overlapping ones. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of [...spans].sort((one, other) => one.start - other.start || other.end - one.end)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) {
      merged.push({ ...span })
      continue
    }
    last.end = Math.max(last.end, span.end)
    if (span.rank >= last.rank) continue
    last.rank = span.rank
    last.label = span.label
  }
  return merged
}

/** Keeps line breaks: each line of a span becomes a span. */
export function splitAtLineBreaks(text: string, span: Span): Span[] {
  const spans: Span[] = []
  for (const line of text.slice(span.start, span.end).matchAll(/[^\r\n]+/g)) {
    if (line[0].trim() === '') continue
    spans.push({ ...span, start: span.start + line.index, end: span.start + line.index + line[0].length })
  }
  return spans
}

/** Replaces each span by a marker. Spans must be sorted and disjoint. */
export function writeMarkers(text: string, spans: readonly Span[]): string {
  let written = ''
  let at = 0
  for (const span of spans) {
    written += `${text.slice(at, span.start)}${markerStart}${span.label}]`
    at = span.end
  }
  return written + text.slice(at)
}
