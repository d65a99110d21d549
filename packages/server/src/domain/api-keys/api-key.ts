import { createHash, randomBytes } from 'node:crypto'
import { text } from '@yardmaster/contract/text'
import { z } from 'zod'
import type { Database } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { type KeyHolder, type KeyScope, keyScopes } from '../../platform/http/key-check.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  type ApiKeyRow,
  insertApiKey,
  selectApiKey,
  selectValidKeyIds,
  updateLastUse,
  updateRevoked,
} from './api-key-store.ts'

/** The face of the room: API keys with a name and a scope, beside those of `API_KEYS`. */
export { type ApiKeyRow, selectApiKeys } from './api-key-store.ts'

export const apiKeyPrefix = 'ymk_'

/** Announced when a key is revoked, so that every host closes its event streams. */
export const apiKeysTopic = 'api_keys'

/** The time of use is written no more often than this. */
const noteEveryMs = 60_000

/** Enough to tell keys apart in a list, and of no use to anyone who guesses. */
const shownCharacters = 8

export const NewKey = z.object({
  label: text(100, { from: z.string().trim().min(1, "can't be blank") }).meta({
    description: 'Who or what uses the key. It stands in the audit log.',
  }),
  scope: z.enum(keyScopes).meta({ description: 'read: may read and search everything, and change nothing.' }),
  expires: z.string().trim().nullable().default(null).meta({
    description: 'A date such as 2027-01-31, or days such as 90d. Blank: never.',
  }),
})

export type NewApiKey = { label: string; scope: KeyScope; expiresAt: Date | null; madeBy: ApiKeyRow['made_by'] }

/** The secret is returned here and never again: only its hash is stored. 32 random bytes need no slow hash. */
export async function makeApiKey(
  db: Database,
  { label, scope, expiresAt, madeBy }: NewApiKey,
): Promise<{ secret: string; row: ApiKeyRow }> {
  const secret = apiKeyPrefix + randomBytes(32).toString('base64url')
  const values = { hash: hashOf(secret), label, scope, beginning: secret.slice(0, shownCharacters), made_by: madeBy }
  try {
    return { secret, row: await transact(db, (tx) => insertApiKey(tx, { ...values, expires_at: expiresAt })) }
  } catch (error) {
    if (violatedConstraint(error) === 'api_keys_label') refuse('validation_failed', 'Label is that of another key')
    throw error
  }
}

/** The key does nothing any more; its row stays, because the audit log names it. */
export async function revokeApiKey(db: Database, id: number, now: Date): Promise<ApiKeyRow> {
  return (await updateRevoked(db, id, now)) ?? refuseMissing()
}

/** Undefined for a key that there is not, or that was revoked or has expired. */
export async function findKeyHolder(app: App, presented: string): Promise<KeyHolder | undefined> {
  if (!presented.startsWith(apiKeyPrefix)) return undefined
  const row = await selectApiKey(app.db, hashOf(presented))
  const now = app.clock.now()
  if (!row || !isValid(row, now)) return undefined
  const unlessAfter = new Date(now.getTime() - noteEveryMs)
  if (row.last_used_at === null || row.last_used_at <= unlessAfter)
    app.background.run('note the use of an API key', () => updateLastUse(app.db, row.id, { now, unlessAfter }))
  return { label: row.label, scope: row.scope, keyId: row.id }
}

/** Those of the keys that still hold. */
export async function stillValidKeys(app: App, ids: readonly number[]): Promise<Set<number>> {
  return new Set(ids.length === 0 ? [] : await selectValidKeyIds(app.db, ids, app.clock.now()))
}

/** `2027-01-31`, a time with its zone, or `90d`; refuses what is none of them, or past. */
export function readExpiry(written: string, now: Date): Date {
  const [, days] = /^(\d{1,4})d$/.exec(written) ?? []
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(written)
  const at = days === undefined ? new Date(isTime ? written : '') : new Date(now.getTime() + Number(days) * 86_400_000)
  if (Number.isNaN(at.getTime())) refuse('validation_failed', 'Expires must be a date such as 2027-01-31, or 90d')
  if (at <= now) refuse('validation_failed', 'Expires must be in the future')
  return at
}

function isValid({ revoked_at, expires_at }: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: Date): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now)
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
