import { z } from 'zod'
import { booleanSpellings } from './query.ts'

/** The one reading of a wish in a body: a boolean in any of the usual spellings. Absent, null or blank is false. */
export const flag = z
  .unknown()
  .optional()
  .transform((said, context): boolean => {
    if (said === undefined || said === null || said === '') return false
    const isText = typeof said === 'string' || typeof said === 'number'
    const parsed = isText ? booleanSpellings.get(String(said).toLowerCase()) : said
    if (typeof parsed === 'boolean') return parsed
    context.addIssue({ code: 'custom', message: 'must be true or false' })
    return z.NEVER
  })
  .meta({ type: 'boolean', default: false })
