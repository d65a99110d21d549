import { z } from 'zod'
import { BoardCard } from '../board/read.ts'
import { Elicitation } from '../elicitations/fields.ts'
import { Id } from '../identifiers.ts'
import { optionallySent, refuseField } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'
import { wholeNumber } from '../whole-number.ts'

const total = z.int().meta({ description: 'How many there are.' })

const NeedyServer = z.object({
  server_name: z.string().meta({ description: 'Its name in the catalog.' }),
  server_url: z.string().meta({ description: 'Its address.' }),
})

const NeedySession = z
  .object({
    card: BoardCard.meta({ description: 'The session; `needs_you` says why it waits for a person.' }),
    since: Timestamp.optional().meta({ description: 'Since when.' }),
    transition_id: Id.optional().meta({
      description:
        'The change of state that the card shows. Send it with `mark_seen`, so that no later one counts as seen.',
    }),
    elicitations: z.array(Elicitation).meta({ description: 'Its questions that wait for an answer, oldest first.' }),
    oauth_required_servers: z
      .array(NeedyServer)
      .optional()
      .meta({ description: 'The MCP servers that a person has to authorise; absent for none.' }),
  })
  .meta({ id: 'NeedySession' })
export type NeedySession = z.infer<typeof NeedySession>

const FailedTrigger = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'Its name.' }),
    agent_root_name: z.string().meta({ description: 'The catalog root of the sessions it spawns.' }),
    failed_at: Timestamp.optional().meta({ description: 'When it was parked as failed.' }),
    last_error: z.string().optional().meta({ description: 'Why.' }),
    last_session_id: Id.optional().meta({ description: 'The session it follows up, or the newest it spawned.' }),
  })
  .meta({ id: 'FailedTrigger' })

export const NeedsYou = z.object({
  sessions: z
    .array(NeedySession)
    .meta({ description: 'Sessions that wait for a person: those that ask first, then the latest.' }),
  sessions_total: total,
  elicitations_total: total.meta({ description: 'Questions that wait for an answer.' }),
  held: z.array(BoardCard).meta({
    description:
      'Sessions whose turn waits for a free slot, a quota, a budget or a vendor account, in the order of the spot queue. They need no one to go on, except with the reason `account_needs_reauth`.',
  }),
  held_total: total,
  triggers: z
    .array(FailedTrigger)
    .meta({ description: 'Triggers that fire no more because they failed, latest first.' }),
  triggers_total: total,
})
export type NeedsYou = z.infer<typeof NeedsYou>

export const SeenState = z.object({
  transition_id: optionallySent<number | null>()
    .transform((value, context): number | undefined => {
      if (value === undefined || value === null) return undefined
      const id = wholeNumber(value)
      return id ?? refuseField(context, 'validation_failed', 'transition_id must be a whole number')
    })
    .meta({
      type: ['integer', 'null'],
      description: 'The change of state that the person saw; absent for the current one.',
    }),
})

export const SeenSession = z.object({
  session_id: Id,
  needs_you: z
    .boolean()
    .meta({ description: 'Whether it still waits for a person: a question does until it is answered.' }),
  notifications_read: z.int().meta({ description: 'Notifications about it that this request marked as read.' }),
})
export type SeenSession = z.infer<typeof SeenSession>
