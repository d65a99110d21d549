import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { sent } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'

export const logLevels = ['info', 'error', 'debug', 'warning', 'verbose'] as const
export type LogLevel = (typeof logLevels)[number]

export const SessionLog = z
  .object({
    id: Id,
    session_id: Id.meta({ description: 'The session it is about.' }),
    content: z.string().meta({ description: 'What happened. Credentials in it read as markers.' }),
    level: z.enum(logLevels).meta({ description: 'Its level.' }),
    created_at: Timestamp.meta({ description: 'When it was written.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'SessionLog' })

export type SessionLog = z.infer<typeof SessionLog>

const content = z
  .string()
  .refine((value) => value.trim() !== '', { message: "can't be blank" })
  .meta({ description: 'What happened. Credentials in it are replaced by markers before it is stored.' })

const level = sent<LogLevel>(z.unknown())
  .transform((value, context): LogLevel => {
    const known = logLevels.find((name) => name === value)
    if (known) return known
    const named = typeof value === 'string' && value !== '' ? `${value} ` : ''
    context.addIssue({ code: 'custom', message: `${named}is not a valid log level` })
    return z.NEVER
  })
  .meta({ enum: [...logLevels], description: 'Its level. There is no default.' })

export const NewSessionLog = z.object({ content, level })
export const SessionLogChanges = z.object({ content: content.optional(), level: level.optional() })

export type NewSessionLog = z.infer<typeof NewSessionLog>
export type SessionLogChanges = z.infer<typeof SessionLogChanges>

export const LogFilters = z.object({
  level: z
    .string()
    .optional()
    .meta({ enum: [...logLevels], description: 'Only lines of this level.' }),
})

export type LogFilters = z.infer<typeof LogFilters>
