import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { limits } from '../limits.ts'
import {
  Account,
  AccountChanges,
  AccountPool,
  LoginAttempt,
  NewAccount,
  NewLoginAttempt,
  ProviderKey,
  QuotaSnapshot,
  Rotation,
} from './fields.ts'

const tag = 'Accounts'
const auth = 'api_key'
const params = z.object({ id: IdParam })
const OneAccount = z.object({ account: Account })
const OneAttempt = z.object({ login_attempt: LoginAttempt })
const runtime = z.string().meta({ description: 'A runtime.', examples: ['runtime_alpha'] })
const ofRuntime = z.object({ runtime: runtime.optional() })
const runtimeParams = z.object({ runtime })

export const listAccountPools = defineEndpoint({
  name: 'accounts.list_pools',
  auth,
  method: 'GET',
  path: '/account_pools',
  tag,
  summary: 'Show how the accounts of each runtime are doing together',
  answers: { 200: z.object({ account_pools: z.array(AccountPool).meta({ description: 'One for each runtime.' }) }) },
})

export const listAccounts = defineList({
  name: 'accounts.list',
  auth,
  path: '/accounts',
  tag,
  summary: 'List the vendor accounts that serve sessions; never their tokens',
  key: 'accounts',
  item: Account,
  filters: ofRuntime,
})

export const showAccount = defineEndpoint({
  name: 'accounts.show',
  auth,
  method: 'GET',
  path: '/accounts/{id}',
  tag,
  summary: 'Show an account; never its tokens',
  params,
  answers: { 200: OneAccount },
  refusals: ['not_found'],
})

export const createAccount = defineEndpoint({
  name: 'accounts.create',
  auth,
  method: 'POST',
  path: '/accounts',
  tag,
  summary: "Add an account by its credentials: the CLI's login file, or a token",
  description:
    'An account of the same name gets the new credentials and is active again. The first account of a runtime becomes the current one.',
  body: NewAccount,
  answers: { 201: OneAccount },
  refusals: ['validation_failed'],
})

export const updateAccount = defineEndpoint({
  name: 'accounts.update',
  auth,
  method: 'PATCH',
  path: '/accounts/{id}',
  tag,
  summary: 'Change the priority of an account',
  params,
  body: AccountChanges,
  answers: { 200: OneAccount },
  refusals: ['not_found'],
})

export const deleteAccount = defineEndpoint({
  name: 'accounts.delete',
  auth,
  method: 'DELETE',
  path: '/accounts/{id}',
  tag,
  summary: 'Delete an account and its tokens; its history stays',
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const switchAccount = defineEndpoint({
  name: 'accounts.switch',
  auth,
  method: 'POST',
  path: '/accounts/{id}/switch',
  tag,
  summary: 'Make an account the current one for turns that start from now on',
  params,
  answers: { 200: OneAccount },
  refusals: ['not_found', 'validation_failed'],
})

export const refreshAccount = defineEndpoint({
  name: 'accounts.refresh',
  auth,
  method: 'POST',
  path: '/accounts/{id}/refresh',
  tag,
  summary: "Refresh an account's tokens and measure its quota",
  params,
  answers: { 200: OneAccount },
  refusals: ['not_found'],
})

export const refreshAccounts = defineEndpoint({
  name: 'accounts.refresh_all',
  auth,
  method: 'POST',
  path: '/accounts/refresh_all',
  tag,
  summary: 'Refresh every account in the background',
  answers: { 202: z.object({ queued: z.literal(true).meta({ description: 'A job does it.' }) }) },
})

export const listQuotaSnapshots = defineList({
  name: 'accounts.list_snapshots',
  auth,
  path: '/account_quota_snapshots',
  tag,
  summary: 'List the readings of quota windows, the newest first',
  key: 'quota_snapshots',
  item: QuotaSnapshot,
  filters: z.object({ runtime: runtime.optional(), account_id: IdParam.optional() }),
})

export const listRotations = defineList({
  name: 'accounts.list_rotations',
  auth,
  path: '/account_rotations',
  tag,
  summary: 'List when and why the current account changed, the newest first',
  key: 'account_rotations',
  item: Rotation,
  filters: ofRuntime,
})

/** An open attempt shows the vendor's code: a caller who types it first signs another account in. */
const needsFullScope = true

export const startLoginAttempt = defineEndpoint({
  name: 'login_attempts.create',
  auth,
  method: 'POST',
  path: '/login_attempts',
  tag,
  summary: "Sign in to a vendor by its own login command; the attempt's row tells what to do",
  body: NewLoginAttempt,
  answers: { 201: OneAttempt },
  refusals: ['validation_failed'],
})

export const listLoginAttempts = defineList({
  name: 'login_attempts.list',
  auth,
  needsFullScope,
  path: '/login_attempts',
  tag,
  summary: 'List login attempts, the newest first',
  key: 'login_attempts',
  item: LoginAttempt,
  filters: ofRuntime,
})

export const showLoginAttempt = defineEndpoint({
  name: 'login_attempts.show',
  auth,
  needsFullScope,
  method: 'GET',
  path: '/login_attempts/{id}',
  tag,
  summary: 'Show a login attempt',
  params,
  answers: { 200: OneAttempt },
  refusals: ['not_found'],
})

export const pasteLoginCode = defineEndpoint({
  name: 'login_attempts.paste_code',
  auth,
  method: 'POST',
  path: '/login_attempts/{id}/code',
  tag,
  summary: "Give the code that the vendor's page showed",
  params,
  body: z.object({
    code: z
      .string()
      .trim()
      .min(1)
      .max(limits.loginCode)
      .regex(/^[^\s]+$/, 'must be one word')
      .meta({ description: 'The code, without spaces. Stored sealed until the command has it.' }),
  }),
  answers: { 200: OneAttempt },
  refusals: ['not_found', 'validation_failed'],
})

export const cancelLoginAttempt = defineEndpoint({
  name: 'login_attempts.cancel',
  auth,
  method: 'POST',
  path: '/login_attempts/{id}/cancel',
  tag,
  summary: 'Give up a login attempt',
  params,
  answers: { 200: OneAttempt },
  refusals: ['not_found'],
})

export const listProviderKeys = defineEndpoint({
  name: 'provider_keys.list',
  auth,
  method: 'GET',
  path: '/provider_keys',
  tag,
  summary: 'List the runtimes for which a provider key is stored; never the keys',
  answers: { 200: z.object({ provider_keys: z.array(ProviderKey).meta({ description: 'One for each runtime.' }) }) },
})

export const setProviderKey = defineEndpoint({
  name: 'provider_keys.set',
  auth,
  method: 'POST',
  path: '/provider_keys/{runtime}',
  tag,
  summary: 'Store the provider key of a runtime without accounts',
  params: runtimeParams,
  body: z.object({
    key: z
      .string()
      .trim()
      .min(8)
      .max(limits.accountCredentials)
      .regex(/^[\x21-\x7e]+$/, 'must be one word of ASCII characters')
      .meta({ description: 'The key. Stored sealed, never answered.', format: 'password' }),
  }),
  answers: { 200: z.object({ provider_key: ProviderKey }) },
  refusals: ['not_found', 'validation_failed'],
})

export const deleteProviderKey = defineEndpoint({
  name: 'provider_keys.delete',
  auth,
  method: 'DELETE',
  path: '/provider_keys/{runtime}',
  tag,
  summary: 'Delete the provider key of a runtime',
  params: runtimeParams,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const endpoints = [
  listAccountPools,
  listAccounts,
  showAccount,
  createAccount,
  updateAccount,
  deleteAccount,
  switchAccount,
  refreshAccount,
  refreshAccounts,
  listQuotaSnapshots,
  listRotations,
  startLoginAttempt,
  listLoginAttempts,
  showLoginAttempt,
  pasteLoginCode,
  cancelLoginAttempt,
  listProviderKeys,
  setProviderKey,
  deleteProviderKey,
] as const
