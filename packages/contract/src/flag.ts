import { z } from 'zod'
import { readBoolean } from './query.ts'
import { optionallySent } from './sent.ts'

/** A switch in a body: a boolean in any of the usual spellings. Absent, null or blank is false. */
export const flag = optionallySent<boolean | string | number | null>()
  .transform((input, context): boolean => {
    if (input === undefined || input === null || input === '') return false
    const value = readBoolean(input)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: 'must be true or false' })
    return z.NEVER
  })
  .meta({ type: 'boolean', default: false })
