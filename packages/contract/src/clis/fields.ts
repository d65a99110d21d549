import { z } from 'zod'
import { Timestamp } from '../timestamp.ts'

export const Cli = z
  .object({
    name: z.string().meta({ description: 'Its name for people.' }),
    installed: z.boolean().nullable().meta({ description: 'Whether it can be started; null before the first look.' }),
    authenticated: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether it has a key or a login, judged on the host; null before the first look.' }),
    version: z.string().nullable().meta({ description: 'The version it says it has; null if it says none.' }),
    install_instructions: z.string().meta({ description: 'How to install it.' }),
    auth_instructions: z.string().meta({ description: 'How to give it a key or a login.' }),
    auth_method: z.enum(['oauth', 'env_var']).meta({ description: 'How it signs in.' }),
    env_var_name: z
      .string()
      .nullable()
      .meta({ description: 'The variable that holds its key, where that is the way.' }),
    error: z.string().nullable().meta({ description: 'What went wrong when it was looked at; null if nothing did.' }),
    loading: z.literal(true).optional().meta({ description: 'Only before the first look.' }),
  })
  .meta({ id: 'Cli' })

export type Cli = z.infer<typeof Cli>

export const CliStatus = z.object({
  tools: z.record(z.string(), Cli).meta({ description: 'By key: the runtime it runs, or what it is for.' }),
  all_authenticated: z.boolean().meta({ description: 'Whether none is without a key or a login.' }),
  unauthenticated_count: z.int().meta({ description: 'Those without either; 0 before the first look.' }),
  generated_at: Timestamp.nullable().meta({ description: 'When it was looked at; null before the first look.' }),
  host: z.string().nullable().meta({ description: 'The host that looked.' }),
  loading: z.literal(true).optional().meta({ description: 'Only before the first look.' }),
})

export type CliStatus = z.infer<typeof CliStatus>

export const CliReport = z.object({
  cli_status: CliStatus.meta({ description: 'What the last look found.' }),
  unauthenticated_count: z.int().meta({ description: 'The same number again, for clients that read it here.' }),
})

const queued = {
  queued: z.literal(true).meta({ description: 'It happens soon, on every host that runs turns.' }),
  message: z.string().meta({ description: 'What happens now, in words.' }),
}

export const QueuedCliRefresh = z.object({
  ...queued,
  current_status: CliStatus.meta({ description: 'What was known before.' }),
})

export const QueuedCacheClearing = z.object(queued)
