import { z } from 'zod'
import { fileError, readJsonFile } from '../files/json-file.ts'
import { type Check, checks } from './checks.ts'
import { exampleText } from './example-text.ts'
import { compileFinder } from './finder.ts'
import type { Rule } from './rule.ts'
import { slownessOf } from './rule-speed.ts'

const patternText = z
  .string()
  .min(1, 'must be a regular expression')
  .refine(isPattern, 'must be a regular expression')
  .refine(isBounded, 'must give every repetition an upper bound: {1,100} instead of + or *')
  .refine((source) => !/\\(?:[1-9]|k<)/.test(source), 'must not refer back to what was matched')

const RuleRow = z.strictObject({
  label: z.string().regex(/^[A-Z][A-Z0-9_]{1,63}$/, 'must be capitals, digits and _'),
  keywords: z
    .array(z.string().min(3, 'must be 3 characters or more').max(64, 'must be 64 characters or fewer'))
    .min(1, 'must name at least one word')
    .max(50, 'must be 50 words or fewer'),
  lead: patternText.optional(),
  frame: patternText.optional(),
  secret: patternText,
  isInsideWords: z.boolean().optional(),
  isAnyCase: z.boolean().optional(),
  // `Object.keys` returns plain strings.
  check: z.enum(Object.keys(checks) as [Check, ...Check[]]).optional(),
  example: z.string().min(1, 'must be a sketch of what the rule finds'),
})

const RulesFile = z.strictObject({ rules: z.array(RuleRow) })

/**
 * Additional rules from a JSON file `{"rules": [{"label", "keywords", "secret", "example", ...}]}` with the columns of
 * `Rule`. Each must match its own example and be fast on hard strings. Put them before the built-in rules to give their
 * labels precedence.
 */
export function readRulesFile(path: string): Rule[] {
  const { rules } = readJsonFile(path, RulesFile)
  rules.forEach((rule, index) => {
    const problem = problemOf(rule)
    if (problem !== undefined) throw fileError(path, `rules[${index}] (${rule.label}) ${problem}`)
  })
  return rules
}

function problemOf(rule: Rule): string | undefined {
  const slowness = slownessOf(rule)
  if (slowness !== undefined) return `is too slow: it ${slowness}`
  const found = compileFinder([rule], []).find(exampleText(rule.example), [])
  return found.length === 0 ? 'does not find its own example' : undefined
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'y')
    return true
  } catch {
    return false
  }
}

/** No `*`, `+` or `{n,}` outside a character class. */
function isBounded(source: string): boolean {
  return !/[*+]|\{\d+,\}/.test(source.replace(/\\./gs, '').replace(/\[[^\]]*\]/g, ''))
}
