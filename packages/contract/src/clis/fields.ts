import { z } from 'zod'
import { Timestamp } from '../timestamp.ts'

export const Cli = z
  .object({
    name: z.string().meta({ description: 'Its name for people.' }),
    installed: z.boolean().nullable().meta({ description: 'Whether it can be started; null before the first check.' }),
    authenticated: z
      .boolean()
      .nullable()
      .meta({ description: 'Whether it has a key or a login, judged on the host; null before the first check.' }),
    version: z.string().nullable().meta({ description: 'The version it says it has; null if it says none.' }),
    install_instructions: z.string().meta({ description: 'How to install it.' }),
    auth_instructions: z.string().meta({ description: 'How to give it a key or a login.' }),
    auth_method: z.enum(['oauth', 'env_var']).meta({ description: 'How it signs in.' }),
    env_var_name: z
      .string()
      .nullable()
      .meta({ description: 'The variable that holds its key, where that is the way.' }),
    error: z.string().nullable().meta({ description: 'The error of the last check; null if it had none.' }),
    loading: z.literal(true).optional().meta({ description: 'Only before the first check.' }),
  })
  .meta({ id: 'Cli' })

export type Cli = z.infer<typeof Cli>

export const CliStatus = z.object({
  tools: z.record(z.string(), Cli).meta({ description: 'By key: the runtime it runs, or what it is for.' }),
  all_authenticated: z.boolean().meta({ description: 'Whether none is without a key or a login.' }),
  unauthenticated_count: z.int().meta({ description: 'Those without either; 0 before the first check.' }),
  generated_at: Timestamp.nullable().meta({ description: 'When it was checked; null before the first check.' }),
  host: z.string().nullable().meta({ description: 'The host that checked.' }),
  loading: z.literal(true).optional().meta({ description: 'Only before the first check.' }),
})

export type CliStatus = z.infer<typeof CliStatus>

export const CliReport = z.object({
  cli_status: CliStatus.meta({ description: 'The result of the last check.' }),
  unauthenticated_count: z.int().meta({ description: 'The same number again, for clients that read it here.' }),
})

const queued = {
  queued: z.literal(true).meta({ description: 'Done soon, on every host that runs turns.' }),
  message: z.string().meta({ description: 'What happens next, in words.' }),
}

export const QueuedCliRefresh = z.object({
  ...queued,
  current_status: CliStatus.meta({ description: 'The result of the last check before.' }),
})

export const QueuedCacheClearing = z.object(queued)
