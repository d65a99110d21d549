import type { Check } from './checks.ts'

/**
 * One row of the table. A rule is tried only where one of its keywords occurs, with its pattern anchored there, so text
 * without keywords costs one pass for any number of rules. Patterns are regular expression sources in which every
 * repetition has an upper bound. That bounds the cost of a failed attempt and keeps the whole linear. A secret longer
 * than the bound is still covered, because a match extends to the end of its word.
 */
export type Rule = {
  /** The label in the marker. */
  label: string
  /** Literal and case-insensitive. The pattern starts at the keyword. */
  keywords: readonly string[]
  /** The part of the secret before the keyword, for formats whose only fixed part is in the middle. */
  lead?: string
  /** Introduces the secret and stays readable. Without it the secret starts at the keyword. */
  frame?: string
  /** The part that is replaced. */
  secret: string
  /** Whether the keyword may be inside a word, as in `DB_PASSWORD`. */
  isInsideWords?: boolean
  /** Whether the pattern ignores case. Default false. */
  isAnyCase?: boolean
  /** An additional check of the value, beyond not being a placeholder. */
  check?: Check
  /** A sketch of a match, see `example-text.ts`. Never a string that a secret scanner would take for a key. */
  example: string
}

export type CompiledRule = Rule & { expression: RegExp }

/** The secret extends from the end of the frame to the end of the match, and includes the lead. */
export function compileRule(rule: Rule): CompiledRule {
  const lead = rule.lead === undefined ? '' : `(?<=(?<lead>${rule.lead}))`
  const source = `${lead}(?<frame>${rule.frame ?? ''})(?:${rule.secret})`
  return { ...rule, expression: new RegExp(source, rule.isAnyCase === true ? 'iy' : 'y') }
}
