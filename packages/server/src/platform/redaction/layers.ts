import { findBase64Runs } from './base64-runs.ts'
import { findDumps, spansInDump } from './dumps.ts'
import type { Finder } from './finder.ts'
import { type Fold, foldsIn, jsonFoldsOf, spansInSource } from './folded-text.ts'
import { type JsonKey, readJsonKey } from './json-key.ts'
import { decodeJsonString, findJsonStrings, type JsonString, mayBeJson } from './json-strings.ts'
import { isPlaceholder } from './placeholder.ts'
import { isSecretValue } from './secret-value.ts'
import { type Span, splitAtLineBreaks } from './spans.ts'
import { findWrappedLines } from './wrapped-lines.ts'

/**
 * Enough for JSON in JSON in JSON with colours and one more escape. Each layer costs a pass over the text, so there is
 * a limit.
 */
const deepest = 5
/** Shorter strings hold no base64 or escapes worth decoding. */
const shortString = 32
/** No format is this short, and names are not secrets. */
const shortKey = 16
/** Ranks after every rule: a label from a rule takes precedence. */
const lastRank = Number.MAX_SAFE_INTEGER

/**
 * The secrets of a text and of every text encoded in it: decoded JSON strings, escapes, terminal sequences, base64. All
 * spans are positions in the text itself, so its surroundings stay unchanged.
 */
export function findInLayers(finder: Finder, text: string, depth = 0): Span[] {
  if (depth < deepest && mayBeJson(text)) {
    const strings = findJsonStrings(text)
    const spans = strings === undefined ? undefined : findInJson(finder, text, strings, depth)
    if (spans !== undefined) return spans
  }
  return findInText(finder, text, depth)
}

function findInText(finder: Finder, text: string, depth: number): Span[] {
  const runs = findBase64Runs(text)
  const spans = finder.find(text, runs)
  if (depth === deepest) return spans
  for (const { start, end, decoded } of runs) {
    const [first] =
      decoded === undefined ? [] : findInLayers(finder, decoded, depth + 1).sort((a, b) => a.rank - b.rank)
    if (first !== undefined) addAll(spans, splitAtLineBreaks(text, { ...first, start, end }))
  }
  for (const dump of findDumps(text)) {
    const inside = findInLayers(finder, dump.text, depth + 1)
    for (const span of spansInDump(inside, dump)) addAll(spans, splitAtLineBreaks(text, span))
  }
  for (const { start, text: whole, breaks } of findWrappedLines(text, spans)) {
    const across = findInLayers(finder, whole, depth + 1).filter((span) => isAcross(span, breaks))
    for (const span of spansInSource(across, breaks, start)) addAll(spans, splitAtLineBreaks(text, span))
  }
  const folds = foldsIn(text)
  if (folds !== undefined) {
    const inside = findInLayers(finder, folds.unfold(), depth + 1)
    if (inside.length > 0) addAll(spans, spansInSource(inside, folds.places()))
  }
  return spans
}

/** What lies within one line is found there. */
function isAcross({ start, end }: Span, breaks: readonly Fold[]): boolean {
  let low = 0
  let high = breaks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((breaks[middle]?.at ?? 0) <= start) low = middle + 1
    else high = middle
  }
  return (breaks[low]?.at ?? end) < end
}

/** One by one: a call with 100,000 arguments overflows the stack. */
function addAll(spans: Span[], more: readonly Span[]): void {
  for (const span of more) spans.push(span)
}

/** Undefined when the escapes of a string are invalid, so the text is not JSON. */
function findInJson(finder: Finder, text: string, strings: readonly JsonString[], depth: number): Span[] | undefined {
  const spans: Span[] = []
  for (let index = 0; index < strings.length; index++) {
    const string = strings[index]
    if (string === undefined) continue
    const { start, end, hasEscapes } = string
    const key = string.isKey ? undefined : keyOf(text, strings, index)
    const isSmall = end - start < shortString && !hasEscapes
    if (isSmall && key?.kind === undefined && key?.isHeader !== true && !finder.isSuspect(text, start, end)) continue
    const raw = text.slice(start, end)
    const value = hasEscapes ? decodeJsonString(raw) : raw
    if (value === undefined) return undefined
    const found =
      string.isKey && end - start < shortKey ? finder.findKnown(value) : findInString(finder, value, key, depth + 1)
    if (found.length > 0) addAll(spans, spansInSource(found, hasEscapes ? jsonFoldsOf(raw) : [], start))
  }
  return spans
}

function findInString(finder: Finder, value: string, key: JsonKey | undefined, depth: number): Span[] {
  if (key === undefined) return findInLayers(finder, value, depth)
  if (key.isOpaque && !/\s/.test(value)) return finder.findKnown(value)
  const spans = key.isHeader ? findInHeader(finder, value, key, depth) : findInLayers(finder, value, depth)
  if (key.kind === undefined || isPlaceholder(value)) return spans
  if (isSecretValue(value, key.kind, { isQuoted: true, isEnvironment: false, isOwnLine: false })) {
    spans.push({ start: 0, end: value.length, label: 'ENV_SECRET', rank: lastRank })
  }
  return spans
}

/** `{"Cookie": "..."}` is read as the header line it represents. */
function findInHeader(finder: Finder, value: string, { name }: JsonKey, depth: number): Span[] {
  const beginning = `${name}: `
  return findInLayers(finder, beginning + value, depth)
    .filter((span) => span.start >= beginning.length)
    .map((span) => ({ ...span, start: span.start - beginning.length, end: span.end - beginning.length }))
}

/**
 * The name of a string: its key, the `name` beside it if its key is `value`, or in a list of arguments the flag before
 * it.
 */
function keyOf(text: string, strings: readonly JsonString[], index: number): JsonKey | undefined {
  const before = strings[index - 1]
  if (before === undefined) return undefined
  const name = decodedString(text, before)
  if (!before.isKey) return name.startsWith('-') ? readJsonKey(name) : undefined
  if (name !== 'value' && name !== 'Value') return readJsonKey(name)
  const [label, called] = strings.slice(Math.max(0, index - 3), index - 1)
  if (label?.isKey !== true || called === undefined || called.isKey) return readJsonKey(name)
  return readJsonKey(
    /^(?:name|key|header|variable)$/i.test(decodedString(text, label)) ? decodedString(text, called) : name,
  )
}

function decodedString(text: string, { start, end, hasEscapes }: JsonString): string {
  const raw = text.slice(start, end)
  return hasEscapes && raw.length <= longestName ? (decodeJsonString(raw) ?? raw) : raw
}

const longestName = 200

/** The strings that a stream continues from one line to the next: all values but ids. Undefined if the line is not JSON. */
export function streamedStrings(line: string): { shape: string; values: JsonString[] } | undefined {
  const strings = mayBeJson(line) ? findJsonStrings(line) : undefined
  if (strings === undefined || strings.length > mostStreamed) return undefined
  const keys = strings.filter(({ isKey }) => isKey).map((key) => decodedString(line, key))
  const values = strings.filter((string, index) => !string.isKey && keyOf(line, strings, index)?.isOpaque !== true)
  return { shape: `${values.length} ${keys.join(' ')}`, values }
}

/** An event of a stream has a few fields around its text. */
const mostStreamed = 64
