import { z } from 'zod'
import { sentAsText } from './sent.ts'

/** The usual ways to write a boolean as text, in lower case. */
const booleanSpellings: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', '1', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['false', 'f', '0', 'no', 'n', 'off'].map((word) => [word, false] as const),
])

/** A boolean, or its usual spelling as a text or a number; undefined for anything else. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return booleanSpellings.get(String(value).toLowerCase())
}

/** A boolean in a query string: the usual spellings; blank counts as absent, anything else is refused. */
export function queryBoolean<Default extends boolean | undefined>({ default: fallback }: { default: Default }) {
  return sentAsText<boolean | string>()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return fallback
      const parsed = readBoolean(value)
      if (parsed !== undefined) return parsed
      context.addIssue({ code: 'custom', message: 'must be true or false' })
      return z.NEVER
    })
    .meta({ type: 'boolean', ...(fallback !== undefined && { default: fallback }) })
}

/** One word of a vocabulary; blank counts as absent, any other is refused. */
export function queryWord<const Word extends string, Default extends Word | undefined = undefined>(
  words: readonly Word[],
  { default: fallback }: { default?: Default } = {},
) {
  return sentAsText<Word>()
    .optional()
    .transform((value, context): Word | Default => {
      if (value === undefined || value === '') return fallback as Default // undefined is one, if there is no default
      const known = words.find((each) => each === value)
      if (known !== undefined) return known
      context.addIssue({ code: 'custom', message: `must be one of: ${words.join(', ')}` })
      return z.NEVER
    })
    .meta({ type: 'string', enum: [...words], ...(fallback !== undefined && { default: fallback }) })
}

/** A time in a query string: ISO 8601 with a zone, or a date, which is its first moment in UTC, or with `isEnd` its last. */
export function queryTime({ isEnd = false } = {}) {
  return sentAsText<string>()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return undefined
      const isDate = z.iso.date().safeParse(value).success
      if (isDate) return new Date(Date.parse(value) + (isEnd ? dayMs : 0))
      if (z.iso.datetime({ offset: true }).safeParse(value).success) return new Date(value)
      context.addIssue({
        code: 'custom',
        message: 'must be a date or a time with a zone, such as 2026-08-22T18:09:42Z',
      })
      return z.NEVER
    })
    .meta({ type: 'string', examples: ['2026-08-22'] })
}

const dayMs = 86_400_000

/** A text that is no number means the default; a number is clamped. */
export function clampedInteger(
  value: string | undefined,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  return value !== undefined && /^[+-]?\d+$/.test(value) ? Math.min(Math.max(Number(value), min), max) : fallback
}
