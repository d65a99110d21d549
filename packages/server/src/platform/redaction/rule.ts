import type { Check } from './checks.ts'

/**
 * One row of the table. A rule is tried only where one of its keywords stands in the text, with its pattern anchored
 * there, so text without keywords costs one pass whatever the number of rules. Patterns are regular expression sources
 * whose every repetition has an upper bound: what a failed attempt can cost is then bounded too, and the whole stays
 * linear. A secret longer than the bound is still covered, because a find grows to the end of its word.
 */
export type Rule = {
  /** What the marker says. */
  label: string
  /** Literal, capitals do not matter. The pattern begins at the keyword. */
  keywords: readonly string[]
  /** The part of the secret that stands before the keyword, for formats whose only fixed part is in the middle. */
  lead?: string
  /** What introduces the secret and stays readable. Without it the secret begins at the keyword. */
  frame?: string
  /** What is replaced. */
  secret: string
  /** Whether the keyword may stand inside a word, as in `DB_PASSWORD`. */
  isInsideWords?: boolean
  /** Whether capitals matter to the pattern; they do unless said otherwise. */
  isAnyCase?: boolean
  /** What must hold for the value found, beyond not being a placeholder. */
  check?: Check
  /** A sketch of what it finds, see `example-text.ts`. Never a string that a secret scanner would take for a key. */
  example: string
}

export type CompiledRule = Rule & { expression: RegExp }

/** The secret reaches from the end of the frame to the end of the match, and over the lead before it. */
export function compileRule(rule: Rule): CompiledRule {
  const lead = rule.lead === undefined ? '' : `(?<=(?<lead>${rule.lead}))`
  const source = `${lead}(?<frame>${rule.frame ?? ''})(?:${rule.secret})`
  return { ...rule, expression: new RegExp(source, rule.isAnyCase === true ? 'iy' : 'y') }
}
