import { z } from 'zod'
import { sentAsText } from './sent.ts'

/** A row id as it appears in answers. */
export const Id = z.int().meta({ description: 'Numeric id.' })

/**
 * A row id in a path. Anything but digits answers 404 rather than 422, since it can name no row. Fifteen digits are more
 * ids than a database hands out, and still exact as a number.
 */
export const IdParam = sentAsText<number | string>(z.string().regex(/^\d{1,15}$/))
  .transform(Number)
  .meta({ description: 'Numeric id.', examples: ['3'] })

export type SessionRef = { id: number } | { slug: string }

/** A session in a path. Digits are always an id and never tried as a slug; anything else is a slug. */
export const SessionRef = sentAsText<number | string>(z.string().min(1))
  .transform((value): SessionRef => (/^\d+$/.test(value) ? { id: toExactId(value) } : { slug: value }))
  .meta({
    description: 'A session: its numeric id or its slug.',
    examples: ['4821', 'tidy-the-retry-loop-20260822-1809'],
  })

/** No row has id 0, so an id that is too large finds nothing. */
export function toExactId(digits: string): number {
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : 0
}
