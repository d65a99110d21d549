import { type Base64Run, shortestBlob } from './base64-runs.ts'
import { beginningOf, type Candidate, maxInspectedLength } from './candidate.ts'
import { checks } from './checks.ts'
import { compileKeywords } from './keyword-scan.ts'
import type { Needle } from './known-values.ts'
import { isPlaceholder, markerStart } from './placeholder.ts'
import { findPrivateKey, privateKeyWords } from './private-key.ts'
import { type CompiledRule, compileRule, type Rule } from './rule.ts'
import { type Span, splitAtLineBreaks } from './spans.ts'

/** Finds secrets in text as it is, without decoding anything. */
export type Finder = {
  /** `runs` are the base64 runs of the text. */
  find(text: string, runs: readonly Base64Run[]): Span[]
  /** Known values only, for text that no pattern may change. */
  findKnown(text: string): Span[]
  /** Whether a part of the text contains any keyword. */
  isSuspect(text: string, from: number, to: number): boolean
}

/** The needles and rules to try where a keyword occurs. */
type Entry = { needles: Needle[]; rules: CompiledRule[]; isMarker: boolean; isPrivateKey: boolean }

/** The scan contains only the start of a known value, which keeps its table small. The rest is compared directly. */
const needleWordLength = 6

export function compileFinder(rules: readonly Rule[], needles: readonly Needle[]): Finder {
  const entries = new Map<string, Entry>()
  const entryOf = (word: string): Entry => {
    const key = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    const entry = entries.get(key) ?? { needles: [], rules: [], isMarker: false, isPrivateKey: false }
    entries.set(key, entry)
    return entry
  }
  entryOf(markerStart).isMarker = true
  for (const word of privateKeyWords) entryOf(word).isPrivateKey = true
  for (const needle of needles) entryOf(needle.text.slice(0, needleWordLength)).needles.push(needle)
  const compiled = rules.map(compileRule)
  for (const rule of compiled) for (const word of new Set(rule.keywords)) entryOf(word).rules.push(rule)

  const words = [...entries.keys()]
  const byWord = [...entries.values()]
  const scan = compileKeywords(words)
  const rankOf = new Map<Needle | CompiledRule, number>(
    [...needles, ...compiled].map((owner, rank) => [owner, rank + 1]),
  )

  const search = (text: string, runs: readonly Base64Run[], isKnownOnly: boolean): Span[] => {
    const spans: Span[] = []
    const triedUntil = new Map<CompiledRule | Entry, number>()
    const blobs = blobsOf(runs)
    let markerEnd = 0
    scan.each(text, (word, start) => {
      const entry = byWord[word]
      if (entry === undefined || start < markerEnd) return
      if (entry.isMarker) markerEnd = endOfMarker(text, start)
      for (const needle of entry.needles) {
        if (!isAt(needle, text, start)) continue
        spans.push({ ...placeOf(needle, text, start), label: needle.label, rank: rankOf.get(needle) ?? 0 })
      }
      if (isKnownOnly) return
      if (entry.isPrivateKey && start >= (triedUntil.get(entry) ?? 0)) {
        const lines = findPrivateKey(text, start)
        for (const line of lines) spans.push(line)
        triedUntil.set(entry, lines.at(-1)?.end ?? 0)
      }
      if (entry.rules.length === 0 || isInsideBlob(blobs, text, start)) return
      const isTokenStart = startsToken(text, start)
      for (const rule of entry.rules) {
        if (!isTokenStart && rule.isInsideWords !== true) continue
        if (start < (triedUntil.get(rule) ?? 0)) continue
        const candidate = candidateOf(rule, text, start)
        if (candidate === undefined) continue
        const end = endOfSecret(rule, candidate)
        if (end !== undefined) {
          spans.push({ start: candidate.secretStart, end, label: rule.label, rank: rankOf.get(rule) ?? 0 })
        }
        triedUntil.set(rule, end ?? endOfRejected(rule, candidate))
      }
    })
    return spans.flatMap((span) => splitAtLineBreaks(text, span))
  }

  return {
    find: (text, runs) => search(text, runs, false),
    findKnown: (text) => search(text, [], true),
    isSuspect: scan.occursIn,
  }
}

function endOfMarker(text: string, start: number): number {
  marker.lastIndex = start
  return marker.test(text) ? marker.lastIndex : 0
}

const marker = /\[REDACTED:[\w:.-]{1,100}\]/y

function isAt(needle: Needle, text: string, start: number): boolean {
  if (!text.startsWith(needle.text, start)) return false
  return !needle.isWholeToken || !(isNamePart(text[start - 1]) || isNamePart(text[start + needle.text.length]))
}

/** The first and last base64 characters also encode neighbouring bytes, and are removed too. */
function placeOf(needle: Needle, text: string, start: number): { start: number; end: number } {
  const end = start + needle.text.length
  if (!needle.isBase64) return { start, end }
  const before = /[\w+/-]{0,3}$/.exec(text.slice(Math.max(0, start - 3), start))?.[0].length ?? 0
  const after = /^[\w+/-]{0,3}={0,2}/.exec(text.slice(end, end + 5))?.[0].length ?? 0
  return { start: start - before, end: end + after }
}

function isNamePart(character: string | undefined): boolean {
  return character !== undefined && /[\w-]/.test(character)
}

/** The runs that contain no words, in order. */
function blobsOf(runs: readonly Base64Run[]): Base64Run[] {
  return runs.filter((run) => run.decoded === undefined && run.end - run.start >= shortestBlob)
}

/**
 * The first character of a run does not count as inside: a whole token may consist of base64 characters. Neither does
 * text after a slash, if the run is short enough to be the path of a URL.
 */
function isInsideBlob(blobs: readonly Base64Run[], text: string, start: number): boolean {
  let low = 0
  let high = blobs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blobs[middle]?.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  const blob = blobs[low - 1]
  if (blob === undefined || start >= blob.end) return false
  return text[start - 1] !== '/' || blob.end - blob.start >= longestPath
}

const longestPath = 2048

/** Whether a word starts here. The last letter of an escape or a terminal sequence is not part of the next word. */
function startsToken(text: string, start: number): boolean {
  if (start === 0 || !isWordCode(text.charCodeAt(start - 1))) return true
  return sequenceEnd.test(text.slice(Math.max(0, start - 16), start))
}

const sequenceEnd =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
  /(?:(?:\x1b|\\e|\\033|\\x1b|\\u001b)\[[0-9;?]{0,8}[A-Za-z]|\\[nrtbf]|%[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})$/

function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
  )
}

function candidateOf(rule: CompiledRule, text: string, start: number): Candidate | undefined {
  const { expression } = rule
  expression.lastIndex = start
  const match = expression.exec(text)
  if (match === null || match[0].includes(markerStart)) return undefined
  const secretStart = start - (match.groups?.lead?.length ?? 0) + (match.groups?.frame?.length ?? 0)
  const secretEnd = start + match[0].length
  return secretEnd > secretStart ? { text, start, secretStart, secretEnd } : undefined
}

function endOfSecret(rule: CompiledRule, candidate: Candidate): number | undefined {
  const end = rule.check === undefined ? candidate.secretEnd : checks[rule.check](candidate)
  if (end === undefined || isPlaceholder(beginningOf({ ...candidate, secretEnd: end }))) return undefined
  return endOfWord(candidate.text, end)
}

/**
 * How far a rejected value covers the keywords in it. An assigned value may be another name with a value (`password:
 * token: ...`), so there every keyword is tried.
 */
function endOfRejected({ check }: CompiledRule, { secretStart, secretEnd }: Candidate): number {
  return check === 'assigned' || check === 'handed' ? 0 : Math.min(secretEnd, secretStart + maxInspectedLength)
}

/** Extends the secret to the end of its word. */
function endOfWord(text: string, end: number): number {
  if (!isWordCode(text.charCodeAt(end - 1)) || !isWordCode(text.charCodeAt(end))) return end
  let at = end
  while (isWordCode(text.charCodeAt(at)) || '+/=-'.includes(text[at] ?? ' ')) at++
  return at
}
