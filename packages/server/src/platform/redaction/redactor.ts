import { compileFinder, type Finder } from './finder.ts'
import { type KnownSecret, needlesOf } from './known-values.ts'
import { findInLayers } from './layers.ts'
import type { Rule } from './rule.ts'
import { rules as allRules } from './rules.ts'
import { mergeSpans, writeMarkers } from './spans.ts'

export type { KnownSecret } from './known-values.ts'

export type Redactor = {
  /** Free text: logs, error texts, notifications, summaries. The number of lines stays. */
  text(text: string): string
  /** One line of a transcript: nothing outside its strings changes, so JSON stays JSON. Anything else is free text. */
  jsonLine(line: string): string
  /** How many markers were written, by label. */
  counts(): Map<string, number>
}

/**
 * Replaces secrets by `[REDACTED:<LABEL>]` on their way to where they would be kept: what we know to be secret in every
 * spelling, and what is a secret by its place or its format. Defence in depth and no guarantee.
 *
 * `known` is asked on every call, so that a new credential counts at once; only a change costs anything.
 */
export function openRedactor({
  known,
  rules = allRules,
}: {
  known: () => Iterable<KnownSecret>
  rules?: readonly Rule[]
}): Redactor {
  const counts = new Map<string, number>()
  let compiled: { from: KnownSecret[]; finder: Finder } | undefined

  const finder = (): Finder => {
    const now = [...known()]
    if (compiled !== undefined && areSame(compiled.from, now)) return compiled.finder
    const from = now.map(({ label, value }) => ({ label, value }))
    compiled = { from, finder: compileFinder(rules, needlesOf(from)) }
    return compiled.finder
  }

  /** Until nothing is found: a second call, today's or next year's, must change nothing. */
  const redact = (text: string): string => {
    if (text === '') return text
    const current = finder()
    let redacted = text
    for (let round = 0; round < maxRounds; round++) {
      const spans = mergeSpans(findInLayers(current, redacted))
      if (spans.length === 0) break
      redacted = writeMarkers(redacted, spans)
      for (const { label } of spans) counts.set(label, (counts.get(label) ?? 0) + 1)
    }
    return redacted
  }

  return { text: redact, jsonLine: redact, counts: () => new Map(counts) }
}

/** Nearly always one finds and one confirms. */
const maxRounds = 8

/** By content: the caller may hand out the same objects with other values in them. */
function areSame(one: readonly KnownSecret[], other: readonly KnownSecret[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ label, value }, index) => label === other[index]?.label && value === other[index]?.value)
  )
}
