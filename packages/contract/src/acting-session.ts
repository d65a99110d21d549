import { z } from 'zod'
import { wholeNumber } from './whole-number.ts'

/**
 * Who a caller says it is. A claim that nobody can check, so it never fails a request: what is no id counts as not said.
 */
export const ActingSessionId = z
  .unknown()
  .optional()
  .transform(readId)
  .meta({
    type: ['integer', 'string', 'null'],
    description: 'The id of the calling session, as it says itself; anything but an id is as good as nothing.',
    examples: [101],
  })

function readId(said: unknown): number | undefined {
  return wholeNumber(said) || undefined
}
