import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { Timestamp } from '../timestamp.ts'

export const accountStatuses = ['active', 'quota_exceeded', 'needs_reauth'] as const
export type AccountStatus = (typeof accountStatuses)[number]

export const snapshotTriggers = ['rotation', 'bootstrap', 'manual_refresh', 'page_view', 'scheduled'] as const
export type SnapshotTrigger = (typeof snapshotTriggers)[number]

export const rotationSources = ['automatic', 'manual'] as const
export const rotationReasons = [
  'quota_exceeded',
  'login_rejected',
  'switched',
  'account_added',
  'account_deleted',
  'window_cleared',
] as const
export type RotationReason = (typeof rotationReasons)[number]

const share = z.number().nullable()

const windows = {
  utilization_5h: share.meta({ description: 'Used share of the 5-hour window, 0 to 1. 0 after its reset.' }),
  utilization_7d: share.meta({ description: 'Used share of the weekly window, 0 to 1. 0 after its reset.' }),
  reset_5h: Timestamp.nullable().meta({ description: 'When the 5-hour window ends.' }),
  reset_7d: Timestamp.nullable().meta({ description: 'When the weekly window ends.' }),
  status_5h: z
    .string()
    .nullable()
    .meta({ description: '`allowed` and `allowed_warning` serve; anything else blocks.' }),
  status_7d: z
    .string()
    .nullable()
    .meta({ description: '`allowed` and `allowed_warning` serve; anything else blocks.' }),
}

export const QuotaSnapshot = z
  .object({
    id: Id,
    account_id: Id.nullable().meta({ description: 'Null after the account was deleted.' }),
    account_email: z.string().meta({ description: 'The account.' }),
    account_runtime: z.string().meta({ description: 'Its runtime.' }),
    trigger: z.enum(snapshotTriggers).meta({ description: 'Why it was taken.' }),
    ...windows,
    subscription_type: z.string().nullable().meta({ description: "The vendor's name of the subscription." }),
    rate_limit_tier: z.string().nullable().meta({ description: "The vendor's name of the tier." }),
    overage_status: z.string().nullable().meta({ description: 'Whether the vendor sells use beyond the windows.' }),
    overage_disabled_reason: z.string().nullable().meta({ description: 'Why it does not.' }),
    active_session_count: z.int().meta({ description: 'Turns that the account served at the time.' }),
    created_at: Timestamp.meta({ description: 'When it was taken.' }),
  })
  .meta({ id: 'QuotaSnapshot' })
export type QuotaSnapshot = z.infer<typeof QuotaSnapshot>

export const Account = z
  .object({
    id: Id,
    runtime: z.string().meta({ description: 'The runtime whose sessions it serves.' }),
    email: z.string().meta({ description: 'Its name: unique in its runtime.' }),
    status: z.enum(accountStatuses).meta({ description: '`needs_reauth`: a person has to sign in again.' }),
    status_reason: z.string().nullable().meta({ description: 'Why it does not serve, in a sentence.' }),
    is_current: z.boolean().meta({ description: 'Whether turns that start now use it.' }),
    is_available: z.boolean().meta({
      description:
        'Whether it can serve: active, with credentials whose token has not expired or can be refreshed now.',
    }),
    priority: z.int().meta({ description: 'Lower is used first.' }),
    expires_at: Timestamp.nullable().meta({ description: 'When its token expires unless it is refreshed.' }),
    can_refresh: z.boolean().meta({ description: 'False for a token that cannot be refreshed.' }),
    subscription_type: z.string().nullable().meta({ description: "The vendor's name of the subscription." }),
    rate_limit_tier: z.string().nullable().meta({ description: "The vendor's name of the tier." }),
    quota_hit_count: z.int().meta({ description: 'How often its quota was spent.' }),
    quota_resets_at: Timestamp.nullable().meta({ description: 'When it is expected to serve again.' }),
    stale_refresh_failures: z
      .int()
      .meta({ description: 'Strikes: refreshes that the vendor did not know. Three condemn.' }),
    last_stale_refresh_failure_at: Timestamp.nullable().meta({ description: 'When the last strike was counted.' }),
    last_refreshed_at: Timestamp.nullable().meta({ description: 'When its tokens were refreshed last.' }),
    last_rotated_to_at: Timestamp.nullable().meta({ description: 'When it became the current one last.' }),
    active_session_count: z.int().meta({ description: 'Turns that it serves now.' }),
    quota: z
      .object({ ...windows, measured_at: Timestamp.meta({ description: 'When it was measured.' }) })
      .nullable()
      .meta({ description: 'The last reading of its windows; null without one.' }),
    created_at: Timestamp.meta({ description: 'When it was added.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'Account' })
export type Account = z.infer<typeof Account>

const email = z.string().trim().min(1).max(limits.accountName)
const priority = z.int().min(0).max(1000)

export const NewAccount = z.object({
  runtime: z.string().meta({ description: 'The runtime.', examples: ['runtime_alpha'] }),
  credentials: z
    .string()
    .min(1)
    .max(limits.accountCredentials)
    .meta({ description: "The content of the CLI's login file, or a token. Stored sealed, never answered." }),
  email: email
    .optional()
    .meta({ description: 'Its name; needed if the credentials do not tell it.', examples: ['ops@example.test'] }),
  priority: priority.optional().meta({ description: 'Lower is used first; default 0.' }),
})
export type NewAccount = z.infer<typeof NewAccount>

export const AccountChanges = z.object({ priority: priority.meta({ description: 'Lower is used first.' }) })

export const Rotation = z
  .object({
    id: Id,
    runtime: z.string().meta({ description: 'The runtime.' }),
    rotated_from_id: Id.nullable().meta({ description: 'The account before; null if none, or if it was deleted.' }),
    rotated_from_email: z.string().nullable().meta({ description: 'Its name.' }),
    rotated_to_id: Id.nullable().meta({ description: 'The account since; null if the pool is empty.' }),
    rotated_to_email: z.string().nullable().meta({ description: 'Its name.' }),
    reason: z.enum(rotationReasons).meta({ description: 'Why.' }),
    source: z.enum(rotationSources).meta({ description: 'Whether a person asked for it.' }),
    triggered_by: z.string().nullable().meta({ description: 'The session whose turn failed, or who asked.' }),
    created_at: Timestamp.meta({ description: 'When.' }),
  })
  .meta({ id: 'AccountRotation' })
export type Rotation = z.infer<typeof Rotation>

export const AccountPool = z
  .object({
    runtime: z.string().meta({ description: 'The runtime.' }),
    has_pool: z
      .boolean()
      .meta({ description: 'Whether it has accounts; a runtime without them takes a provider key.' }),
    can_sign_in: z.boolean().meta({ description: 'Whether login attempts are possible.' }),
    takes_provider_key: z.boolean().meta({ description: 'Whether a provider key can be stored for it.' }),
    has_provider_key: z.boolean().meta({ description: 'Whether one is stored.' }),
    account_count: z.int().meta({ description: 'All accounts. Without any, keys and logins of the host are used.' }),
    available_count: z.int().meta({ description: 'Those that can serve.' }),
    needs_reauth_count: z.int().meta({ description: 'Those that a person has to sign in again.' }),
    current_account_id: Id.nullable().meta({ description: 'The account that serves.' }),
    average_utilization_5h: share.meta({ description: 'Average of the 5-hour windows with a reading.' }),
    average_utilization_7d: share.meta({ description: 'Average of the weekly windows with a reading.' }),
    recovers_at: Timestamp.nullable().meta({ description: 'When an empty pool is expected to serve again.' }),
    parked_session_count: z.int().meta({ description: 'Sessions that wait for the pool.' }),
  })
  .meta({ id: 'AccountPool' })
export type AccountPool = z.infer<typeof AccountPool>

export const attemptStatuses = [
  'starting',
  'awaiting_user',
  'awaiting_code',
  'completing',
  'succeeded',
  'failed',
  'canceled',
  'expired',
] as const
export type AttemptStatus = (typeof attemptStatuses)[number]

export const LoginAttempt = z
  .object({
    id: Id,
    runtime: z.string().meta({ description: 'The runtime.' }),
    status: z
      .enum(attemptStatuses)
      .meta({ description: '`awaiting_user`: open the address. `awaiting_code`: paste the code it shows.' }),
    verification_url: z.string().nullable().meta({ description: 'The address to open in a browser.' }),
    verification_code: z.string().nullable().meta({ description: 'The code to type there.' }),
    account_id: Id.nullable().meta({ description: 'The account that was signed in.' }),
    account_email: z.string().nullable().meta({ description: 'Its name.' }),
    error_message: z.string().nullable().meta({ description: 'Why it failed.' }),
    expires_at: Timestamp.meta({ description: 'When it is given up.' }),
    created_at: Timestamp.meta({ description: 'When it began.' }),
    updated_at: Timestamp.meta({ description: 'When it last changed.' }),
  })
  .meta({ id: 'LoginAttempt' })
export type LoginAttempt = z.infer<typeof LoginAttempt>

export const NewLoginAttempt = z.object({
  runtime: z.string().meta({ description: 'The runtime.', examples: ['runtime_alpha'] }),
  email: email.optional().meta({
    description: "The account's name, where the vendor's login does not tell it.",
    examples: ['ops@example.test'],
  }),
})
export type NewLoginAttempt = z.infer<typeof NewLoginAttempt>

export const ProviderKey = z
  .object({
    runtime: z.string().meta({ description: 'The runtime.' }),
    variable: z.string().meta({ description: 'The variable in which its agents get the key.' }),
    updated_at: Timestamp.meta({ description: 'When it was stored.' }),
  })
  .meta({ id: 'ProviderKey' })
export type ProviderKey = z.infer<typeof ProviderKey>
