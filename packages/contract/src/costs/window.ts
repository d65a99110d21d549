import { z } from 'zod'
import { SessionRef } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { clampedInteger } from '../query.ts'
import { sentAsText } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'

const days = sentAsText<number | string>()
  .optional()
  .transform((value) => {
    const { min, max, default: fallback } = limits.costsWindowDays
    return clampedInteger(value, { fallback, min, max })
  })
  .meta({
    type: 'integer',
    default: limits.costsWindowDays.default,
    description: 'Days up to now, 1 to 365. Ignored when `from` is sent; with only `to`, days up to that time.',
  })

/** A time of the query; blank counts as absent. A time without an offset is in UTC, and a date is its midnight. */
function instant(description: string) {
  return sentAsText<string>()
    .optional()
    .transform((value, context) => {
      if (value === undefined || value === '') return undefined
      const [, date, time = 'T00:00:00', offset = 'Z'] = instantPattern.exec(value) ?? []
      const parsed = new Date(`${date}${time}${offset}`)
      // A day that no month has would roll over to the next month.
      const isReal = date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)
      if (isReal && parsed.getTime() >= 0 && parsed.getUTCFullYear() <= lastYear) return parsed
      context.addIssue({
        code: 'custom',
        message: `must be an ISO 8601 time such as 2026-08-22T18:09:42Z, from 1970 to ${lastYear}`,
      })
      return z.NEVER
    })
    .meta({ type: 'string', format: 'date-time', description })
}

/** A time that is rounded up must still have a year of four digits. */
const lastYear = 9998

const instantPattern = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

/** A session in a query; blank counts as absent. */
export const sessionFilter = sentAsText<number | string>()
  .optional()
  .transform((value) => (value === undefined || value === '' ? undefined : SessionRef.parse(value)))
  .meta({ type: ['integer', 'string'], description: 'Only the calls of this session: its id or slug.' })

/** An exact match; blank counts as absent. */
export function exactly(description: string) {
  return sentAsText<string>()
    .optional()
    .transform((value) => value || undefined)
    .meta({ type: 'string', description })
}

export const WindowQuery = z.object({
  days,
  from: instant('Start of the window instead of `days`. A window has at most 365 days; its end decides.'),
  to: instant('End of the window; absent means now.'),
  as_of: instant('Price the window by the rates that were valid at this time; absent means now.'),
})

export type WindowQuery = z.output<typeof WindowQuery>

export const Window = z
  .object({
    from: Timestamp.meta({ description: 'Start, rounded down to the minute; part of the window.' }),
    to: Timestamp.meta({ description: 'End, rounded up to the minute; part of the window.' }),
  })
  .meta({ id: 'CostWindow', description: 'The window that applies.' })
