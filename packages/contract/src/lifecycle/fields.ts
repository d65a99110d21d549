import { z } from 'zod'
import { uncategorized } from '../categories/fields.ts'
import { flag } from '../flag.ts'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { refuseField, sent } from '../sent.ts'
import { Session } from '../sessions/fields.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'

const inWords = z.string().meta({ description: 'What happened, in words.' })

export const OneSession = z.object({ session: Session })
export const SessionWithMessage = OneSession.extend({ message: inWords })

const force = flag.meta({ description: 'Whether to discard queued messages; they are kept as undelivered.' })

export const ArchiveRequest = z.object({ force })

export const ArchivedSession = SessionWithMessage.extend({
  trash_after: Timestamp.nullable().meta({ description: 'After this, what the archive kept is cleaned up.' }),
})

export const UnarchivedSession = OneSession.extend({
  clone_restored: z.boolean().meta({ description: 'Whether its clone was gone and had to be made again.' }),
  message: inWords,
})

export const BulkArchiveRequest = z.object({
  session_ids: sent<readonly (number | string)[]>()
    .transform((value, context): number[] => {
      if (!Array.isArray(value) || value.length === 0) {
        return refuseField(context, 'missing_parameter', 'session_ids array is required')
      }
      if (value.length > limits.bulkArchive) {
        const sentence = `Session ids has too many entries (maximum is ${limits.bulkArchive})`
        return refuseField(context, 'validation_failed', sentence)
      }
      const ids = value.flatMap((one) => wholeNumber(one) ?? [])
      if (ids.length < value.length) return refuseField(context, 'validation_failed', 'Session ids must be integers')
      return [...new Set(ids)]
    })
    .meta({
      type: 'array',
      items: { type: 'integer' },
      maxItems: limits.bulkArchive,
      description: 'Numeric ids of the sessions to archive. Required.',
      examples: [[4821, 4822]],
    }),
  force: force.meta({ description: 'Whether to discard the queued messages of every session of the batch.' }),
})

export const BulkArchived = z.object({
  archived_count: z.int().meta({ description: 'How many were archived.' }),
  errors: z
    .array(z.object({ id: Id, message: z.string().meta({ description: 'Why it was not archived.' }) }))
    .meta({ description: 'Sessions that were not archived.' }),
})

export const ForkRequest = z.object({
  message_index: sent<number | string>()
    .transform((value, context): number => {
      if (value === undefined || value === null || value === '') {
        return refuseField(context, 'missing_parameter', 'message_index is required')
      }
      const sentence = 'Message index must be an integer of at least 0'
      return wholeNumber(value) ?? refuseField(context, 'validation_failed', sentence)
    })
    .meta({
      type: 'integer',
      minimum: 0,
      description: 'The last message the fork keeps, counted from 0. Required.',
      examples: [12],
    }),
})

export const RefreshChoice = z.object({
  category_id: z
    .union([z.int().min(1), z.literal(uncategorized)])
    .nullish()
    .meta({ description: 'Only sessions of this category, or `"uncategorized"`. Absent: of all.', examples: [3] }),
  favorited: z.boolean().nullish().meta({ description: 'True: only favourites.' }),
})

export type RefreshChoice = z.output<typeof RefreshChoice>

export const RefreshedAll = z.object({
  message: inWords,
  refreshed: z.int().meta({ description: 'Sessions whose transcript had grown on disk.' }),
  restarted: z.int().meta({ description: 'Failed sessions that were restarted.' }),
  continued: z.int().meta({ description: 'Resting sessions that were continued.' }),
  errors: z.int().meta({ description: 'Sessions for which it failed; the server log names them.' }),
})

export const SummaryQueued = z.object({
  session_id: Id.meta({ description: 'The session to be summarised.' }),
  message: inWords,
})
