import { markerStart } from './placeholder.ts'

/** A stretch of text to be replaced. Where several meet, the lowest rank gives its label to all. */
export type Span = { start: number; end: number; label: string; rank: number }

/** Sorted, and those that overlap made one. */
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

/** Line breaks stay where they are: each line of a span is a span. */
export function splitAtLineBreaks(text: string, span: Span): Span[] {
  const spans: Span[] = []
  for (const line of text.slice(span.start, span.end).matchAll(/[^\r\n]+/g)) {
    if (line[0].trim() === '') continue
    spans.push({ ...span, start: span.start + line.index, end: span.start + line.index + line[0].length })
  }
  return spans
}

/** The text with a marker in place of each span. Spans are sorted and apart. */
export function writeMarkers(text: string, spans: readonly Span[]): string {
  let written = ''
  let at = 0
  for (const span of spans) {
    written += `${text.slice(at, span.start)}${markerStart}${span.label}]`
    at = span.end
  }
  return written + text.slice(at)
}
