import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { queryTime } from '../query.ts'
import { Timestamp } from '../timestamp.ts'

/** Who acts: a caller with a key, a person in a browser, the operator, a session's agent, a platform, or anyone. */
export const actorKinds = ['key', 'person', 'operator', 'agent', 'webhook', 'anonymous'] as const

/** Where it is done: the API, the dashboard, a tool, the operator's pages, or a command on the machine. */
export const surfaces = ['api', 'web', 'mcp', 'operator', 'command'] as const

const filter = (description: string) => z.string().trim().optional().meta({ description })

export const AuditFilters = z.object({
  actor: filter('Only what this actor did: the name of a person, the label of a key, or session 12.'),
  operation: filter('Only this operation, such as sessions.archive.'),
  target: filter('Only what was done to this, such as sessions/12.'),
  from: queryTime().meta({ description: 'Only what was done at this time or later.' }),
  to: queryTime({ isEnd: true }).meta({
    description: 'Only what was done before this time. A date without a time counts to its end.',
  }),
  q: filter('Only entries with this text in their actor, key, operation, target or address.'),
})

export const AuditEntry = z
  .object({
    id: Id.meta({ description: 'The id.' }),
    at: Timestamp.meta({ description: 'When it was answered.' }),
    actor_kind: z.enum(actorKinds).meta({ description: 'Who acted.' }),
    actor: z
      .string()
      .meta({ description: 'The name of the person, the label of the key, or the session of the agent.' }),
    key: z.string().nullable().meta({ description: 'The label of the key, also of a person who signed in with it.' }),
    session_id: z.int().nullable().meta({ description: 'The session whose agent acted.' }),
    operation: z.string().meta({ description: 'What was done, by the name of the operation.' }),
    target: z.string().nullable().meta({ description: 'To what.' }),
    surface: z.enum(surfaces).meta({ description: 'Where it was done.' }),
    address: z.string().nullable().meta({ description: 'From where.' }),
    status: z.int().meta({ description: 'How it was answered.' }),
    request_id: z.string().nullable().meta({ description: 'By which the lines of the log are found.' }),
  })
  .meta({ id: 'AuditEntry' })

export type AuditEntry = z.infer<typeof AuditEntry>
