import { z } from 'zod'

const spellings: Record<string, boolean> = {
  true: true,
  t: true,
  '1': true,
  yes: true,
  y: true,
  on: true,
  false: false,
  f: false,
  '0': false,
  no: false,
  n: false,
  off: false,
}

/** The one reading of a boolean in a query string: the usual spellings, blank is absent, anything else is refused. */
export function queryBoolean({ default: fallback }: { default: boolean }) {
  return z
    .string()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return fallback
      const parsed = spellings[value.toLowerCase()]
      if (parsed === undefined) {
        context.addIssue({ code: 'custom', message: 'must be true or false' })
        return z.NEVER
      }
      return parsed
    })
    .meta({ type: 'boolean', default: fallback })
}
