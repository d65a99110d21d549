import { z } from 'zod'

/** The usual ways to write a boolean as text, in lower case. */
export const booleanSpellings: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', '1', 'yes', 'y', 'on'].map((word) => [word, true] as const),
  ...['false', 'f', '0', 'no', 'n', 'off'].map((word) => [word, false] as const),
])

/** The one reading of a boolean in a query string: the usual spellings, blank is absent, anything else is refused. */
export function queryBoolean({ default: fallback }: { default: boolean }) {
  return z
    .string()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return fallback
      const parsed = booleanSpellings.get(value.toLowerCase())
      if (parsed === undefined) {
        context.addIssue({ code: 'custom', message: 'must be true or false' })
        return z.NEVER
      }
      return parsed
    })
    .meta({ type: 'boolean', default: fallback })
}
