import { compileFinder, type Finder } from './finder.ts'
import { type KnownSecret, needlesOf } from './known-values.ts'
import { findInLayers } from './layers.ts'
import type { Rule } from './rule.ts'
import { rules as allRules } from './rules.ts'
import { mergeSpans, writeMarkers } from './spans.ts'
import { findSplitSecrets } from './split-secrets.ts'

/** The markers written, by label. */
export type Counts = Map<string, number>

export type Redaction = {
  /**
   * Redacts free text, or one line of a transcript. In JSON only the content of strings changes, so it stays JSON. The
   * number of lines stays the same.
   */
  redact(text: string): string
  /** Redacts adjacent lines of a transcript, and secrets that a stream splits over several of them. */
  redactLines(lines: readonly string[]): string[]
  /** The number of markers written, by label. */
  counts(): Counts
}

/**
 * Replaces secrets by `[REDACTED:<LABEL>]`: known secrets in every spelling, and secrets recognised by their place or
 * format. Defence in depth, not a guarantee. Synchronous; the service calls it through `redactor.ts`, which keeps long
 * texts off the event loop.
 *
 * Reads `known` on every call, so that a new credential counts at once. Only a change costs time.
 */
export function openRedaction({
  known,
  rules = allRules,
}: {
  known: () => Iterable<KnownSecret>
  rules?: readonly Rule[]
}): Redaction {
  const counts: Counts = new Map()
  const count = (label: string) => counts.set(label, (counts.get(label) ?? 0) + 1)
  let compiled: { from: readonly KnownSecret[]; finder: Finder } | undefined

  const finder = (): Finder => {
    const now = [...known()]
    if (compiled !== undefined && areSame(compiled.from, now)) return compiled.finder
    const from = now.map(({ label, value }) => ({ label, value }))
    compiled = { from, finder: compileFinder(rules, needlesOf(from)) }
    return compiled.finder
  }

  /** Repeats until nothing is found, so that redacting the result again changes nothing. */
  const redact = (text: string): string => {
    if (text === '') return text
    const current = finder()
    let redacted = text
    for (let round = 0; round < maxRounds; round++) {
      const spans = mergeSpans(findInLayers(current, redacted))
      if (spans.length === 0) break
      redacted = writeMarkers(redacted, spans)
      for (const { label } of spans) count(label)
    }
    return redacted
  }

  const redactLines = (lines: readonly string[]): string[] => {
    const split = findSplitSecrets(finder(), lines)
    return lines.map((line, index) => {
      const spans = mergeSpans(split.get(index) ?? [])
      for (const { label } of spans) count(label)
      return redact(spans.length === 0 ? line : writeMarkers(line, spans))
    })
  }

  return { redact, redactLines, counts: () => new Map(counts) }
}

/** Nearly always one round finds and one confirms. */
const maxRounds = 8

/** Compares by content: the caller may mutate and reuse the same objects. */
export function areSame(one: readonly KnownSecret[], other: readonly KnownSecret[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ label, value }, index) => label === other[index]?.label && value === other[index]?.value)
  )
}
