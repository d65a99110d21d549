import { z } from 'zod'
import { flag } from '../flag.ts'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { Session } from '../sessions/fields.ts'
import { Timestamp } from '../timestamp.ts'

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

/** What is missing is refused by the operation, under its own label. */
export const BulkArchiveRequest = z.object({
  session_ids: z
    .unknown()
    .optional()
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
    .array(z.object({ id: Id, message: z.string().meta({ description: 'Why it was left as it is.' }) }))
    .meta({ description: 'Sessions that were left as they are.' }),
})

/** What is missing is refused by the operation, under its own label. */
export const ForkRequest = z.object({
  message_index: z
    .unknown()
    .optional()
    .meta({
      type: 'integer',
      minimum: 0,
      description: 'The last message the fork keeps, counted from 0. Required.',
      examples: [12],
    }),
})

export const RefreshedAll = z.object({
  message: inWords,
  refreshed: z.int().meta({ description: 'Sessions whose transcript had grown on disk.' }),
  restarted: z.int().meta({ description: 'Failed sessions that were told to go on.' }),
  continued: z.int().meta({ description: 'Resting sessions that were told to go on.' }),
  errors: z.int().meta({ description: 'Sessions for which it did not work; the server log names them.' }),
})

export const SummaryQueued = z.object({
  session_id: Id.meta({ description: 'The session to be summed up.' }),
  message: inWords,
})
