import type { SessionRef } from './identifiers.ts'
import { optionallySent } from './sent.ts'
import { wholeNumber } from './whole-number.ts'

/**
 * The session that a caller claims to be. The claim cannot be checked, so it never fails a request: a value that is no
 * id counts as absent.
 */
export const ActingSessionId = optionallySent<number | string | null>()
  .transform((value) => wholeNumber(value) || undefined)
  .meta({
    type: ['integer', 'string', 'null'],
    description: 'The id of the calling session, by its own account. A value that is no id counts as absent.',
    examples: [101],
  })

/** As `ActingSessionId`, by id or slug. Digits are always an id. */
export const ClaimedSession = optionallySent<number | string | null>()
  .transform((value): SessionRef | undefined => {
    const id = wholeNumber(value)
    if (id !== undefined) return { id }
    return typeof value === 'string' && value !== '' && !/^\d+$/.test(value) ? { slug: value } : undefined
  })
  .meta({
    type: ['integer', 'string', 'null'],
    description: 'The id or slug of a session, by the account of the caller. One that does not exist counts as absent.',
    examples: [940],
  })
