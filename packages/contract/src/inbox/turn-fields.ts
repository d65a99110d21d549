import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { Timestamp } from '../timestamp.ts'

export const turnSources = [
  'create',
  'follow_up',
  'queued_message',
  'trigger',
  'wake',
  'heartbeat',
  'recovery',
  'summary',
] as const
export const turnStates = ['queued', 'dispatched', 'executing', 'ended'] as const
export const turnOutcomes = ['completed', 'interrupted', 'failed'] as const
export const withdrawals = ['pause', 'interrupt', 'restart', 'archive'] as const

export const Turn = z
  .object({
    number: z.int().meta({ description: 'Its number in the session, from 1, in the order of acceptance.' }),
    source: z.enum(turnSources).meta({ description: 'Where its prompt came from.' }),
    state: z.enum(turnStates).meta({ description: 'How far it is. `executing`: an agent works on it.' }),
    outcome: z.enum(turnOutcomes).nullable().meta({ description: 'How it ended; null before that.' }),
    failure_reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed.', examples: ['rate_limit'] }),
    withdrawn_by: z.enum(withdrawals).nullable().meta({ description: 'The request that ended it early.' }),
    trigger_id: Id.nullable().meta({ description: 'The trigger whose prompt it has.' }),
    author: z
      .object({
        key: z.string().meta({ description: 'The key of the person.' }),
        display_name: z
          .string()
          .meta({ description: 'Their name; the key if they are no longer on the list of people.' }),
      })
      .nullable()
      .meta({ description: 'The person who wrote the prompt. Null if it was no person, or no one the service knows.' }),
    first_entry: z.int().nullable().meta({
      description: 'The sequence of its first entry in the main thread; null if it has none.',
    }),
    cost_usd: z.number().meta({
      description: 'What its model calls cost at list price, subagents included. A model without a price counts as 0.',
    }),
    created_at: Timestamp.meta({ description: 'When the prompt was accepted.' }),
    started_at: Timestamp.nullable().meta({ description: 'When the agent had its prompt.' }),
    ended_at: Timestamp.nullable().meta({ description: 'When it ended.' }),
  })
  .meta({ id: 'Turn' })

export type Turn = z.infer<typeof Turn>
