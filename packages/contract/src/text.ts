import { z } from 'zod'

/**
 * Text of at most `max` Unicode code points. Clients match on both wordings: short fields say "maximum is 100 characters", the long ones "maximum 500,000 characters".
 */
export function text(max: number, { wording = 'short', from = z.string() }: TextOptions = {}) {
  const problem =
    wording === 'short'
      ? `is too long (maximum is ${max} characters)`
      : `is too long (maximum ${max.toLocaleString('en-US')} characters)`
  return from.refine((value) => isAtMost(value, max), { message: problem }).meta({ maxLength: max })
}

type TextOptions = {
  wording?: 'short' | 'long'
  /** Applied before the length is checked, such as trimming. */
  from?: z.ZodString
}

/** A string never has more code points than UTF-16 units, so it counts only when the units exceed the bound. */
export function isAtMost(value: string, max: number): boolean {
  if (value.length <= max) return true
  if (value.length > 2 * max) return false
  let codePoints = 0
  for (const _ of value) codePoints += 1
  return codePoints <= max
}
