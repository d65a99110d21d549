import { z } from 'zod'

/** A row id as it appears in answers. */
export const Id = z.int().meta({ description: 'Numeric id.' })

/**
 * A row id in a path. Anything but digits names nothing, so the reader answers 404 rather than 422. Fifteen digits are
 * more ids than a database hands out and still exact as a number.
 */
export const IdParam = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .meta({ description: 'Numeric id.', examples: ['3'] })

export type SessionRef = { id: number } | { slug: string }

/** A session in a path: all digits is always an id and is never retried as a slug; anything else is a slug. */
export const SessionRef = z
  .string()
  .min(1)
  .transform((value): SessionRef => (/^\d+$/.test(value) ? { id: toExactId(value) } : { slug: value }))
  .meta({
    description: 'A session: its numeric id or its slug.',
    examples: ['4821', 'tidy-the-retry-loop-20260822-1809'],
  })

/** No row has id 0, so a number too large to exist names nothing. */
function toExactId(digits: string): number {
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : 0
}
