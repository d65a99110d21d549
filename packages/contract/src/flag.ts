import { z } from 'zod'
import { readBoolean } from './query.ts'
import { optionallySent } from './sent.ts'

/** A switch in a body: a boolean in any of the usual spellings. Absent, null or blank is false. */
export const flag = optionallySent<boolean | string | number | null>()
  .transform((said, context): boolean => {
    if (said === undefined || said === null || said === '') return false
    const value = readBoolean(said)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: 'must be true or false' })
    return z.NEVER
  })
  .meta({ type: 'boolean', default: false })
