import { randomBytes } from 'node:crypto'
import { limits } from '@yardmaster/contract/limits'
import type { Page } from '@yardmaster/contract/paging'
import type { BrowserSession, SignIn } from '@yardmaster/contract/sign-ins/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import type { App } from '../app.ts'
import { findOrAddDashboardUser } from '../people/people.ts'
import { signInsChanged } from './events.ts'
import { digestOf, keyHashOf, linkPrefix, type SignInKeys } from './sign-in-keys.ts'
import {
  deleteSignIn,
  insertSignIn,
  insertUsedLink,
  type SignedInBy,
  type SignInRow,
  selectSignIn,
  selectSignIns,
  selectSignInsById,
  updateSignIn,
} from './sign-in-store.ts'

/** The face of the room: the browsers in which people have signed in. */
export { linkMinutes, type SignInKeys, signInKeys } from './sign-in-keys.ts'
export type { SignInRow } from './sign-in-store.ts'

declare module '../app.ts' {
  interface App {
    /** `none`: the dashboard asks no one to sign in. */
    webAuth: 'session' | 'none'
    signInKeys: SignInKeys
  }
}

export const openPagesWarning =
  'WEB_AUTH is none: everyone who can reach this server can do everything on the dashboard, agents on this machine included'

/** A sign-in that is not used for this long ends. */
export const signInDays = 30

/** The time of use is written no more often than this. */
const renewAfterMs = 3_600_000

/** Announced when sign-ins end, so that every host closes their event streams. */
export const signInsTopic = 'sign_ins'

/** What the browser keeps as a cookie, and how it signed in. */
export type Opened = { token: string; row: SignInRow }

/** `keyId`: of a stored key, with which the sign-in ends. */
type PresentedKey = { key: string; keyId: number | undefined }

/** `earlier`: the sign-in that it has. A browser has one, so the next one takes its place. */
type Browser = { userAgent: string | undefined; name?: string | undefined; earlier?: number | undefined }

/** The caller has checked the key. */
export function signInByKey(app: App, { key, keyId }: PresentedKey, browser: Browser): Promise<Opened> {
  return opened(app, browser, (tx) => open(app, tx, { by: 'key', keyHash: keyHashOf(key), keyId }, browser))
}

export function isLink(secret: string): boolean {
  return secret.startsWith(linkPrefix)
}

/** Undefined for a link that none of our keys made. Of several browsers that use one link at once, one is signed in. */
export async function signInByLink(app: App, secret: string, browser: Browser): Promise<Opened | undefined> {
  const link = app.signInKeys.readLink(secret)
  if (!link) return undefined
  const now = app.clock.now()
  if (link.expiresAt <= now) refuse('unauthorized', `This link has expired. ${howToGetAnother}`)
  return opened(app, browser, async (tx) => {
    if (!(await insertUsedLink(tx, link.secretHash, now)))
      refuse('unauthorized', `This link was used before, and works once. ${howToGetAnother}`)
    return open(app, tx, { by: 'link', keyHash: link.keyHash }, browser)
  })
}

const howToGetAnother = 'Run npm run link where the server runs for another, or sign in with an API key.'

/** Where pages are open, a sign-in only holds the name of the person. */
export function signInWithoutKey(app: App, browser: Browser): Promise<Opened> {
  return transact(app.db, (tx) => open(app, tx, { by: 'none', keyHash: null }, browser))
}

/** In one transaction, so that no link is used up without a sign-in. The earlier one may have ended meanwhile. */
async function opened(app: App, { earlier }: Browser, work: (tx: Transaction) => Promise<Opened>): Promise<Opened> {
  const result = await transact(app.db, async (tx) => {
    if (earlier !== undefined) await deleteSignIn(tx, earlier)
    return work(tx)
  })
  // A link is used up now, so that a lost signal must not refuse the browser.
  if (earlier !== undefined) await app.signals.announce(signInsTopic).catch(() => undefined)
  return result
}

async function open(
  app: App,
  tx: Transaction,
  { by, keyHash, keyId }: { by: SignedInBy; keyHash: Buffer | null; keyId?: number | undefined },
  { userAgent, name }: Browser,
): Promise<Opened> {
  const token = randomBytes(32).toString('base64url')
  const now = app.clock.now()
  await insertSignIn(tx, {
    token_hash: digestOf(token),
    key_hash: keyHash,
    api_key_id: keyId ?? null,
    signed_in_by: by,
    ...(name !== undefined && { person_key: await findOrAddDashboardUser(tx, name) }),
    user_agent: userAgent === undefined ? null : truncate(userAgent, limits.userAgent),
    created_at: now,
    last_used_at: now,
  })
  await app.events.publish(tx, signInsChanged, { payload: {} })
  const row = await selectSignIn(tx, digestOf(token))
  if (!row) throw new Error('a sign-in that was just written could not be read back')
  return { token, row }
}

/** The sign-in of a cookie. `isRenewed`: its time of use was written, so the browser is to keep its cookie longer too. */
export async function findSignIn(app: App, token: string): Promise<{ row: SignInRow; isRenewed: boolean } | undefined> {
  const row = await selectSignIn(app.db, digestOf(token))
  if (!row || !isValid(app, row)) return undefined
  const now = app.clock.now()
  const isRenewed = now.getTime() - row.last_used_at.getTime() >= renewAfterMs
  if (!isRenewed) return { row, isRenewed }
  await updateSignIn(app.db, row.id, { last_used_at: now })
  return { row: { ...row, last_used_at: now }, isRenewed }
}

/** Undefined if it has ended. */
export async function findSignInById(app: App, id: number): Promise<SignInRow | undefined> {
  const [row] = await selectSignInsById(app.db, [id])
  return row && isValid(app, row) ? row : undefined
}

/** Those of the sign-ins that still hold. */
export async function stillSignedIn(app: App, ids: readonly number[]): Promise<Set<number>> {
  const rows = ids.length === 0 ? [] : await selectSignInsById(app.db, ids)
  return new Set(rows.filter((row) => isValid(app, row)).map(({ id }) => id))
}

function isValid({ clock, signInKeys, webAuth }: App, row: SignInRow): boolean {
  if (expiryOf(row) <= clock.now()) return false
  if (row.api_key_id !== null) return row.is_key_valid
  return row.key_hash === null ? webAuth === 'none' : signInKeys.include(row.key_hash)
}

function expiryOf({ last_used_at }: SignInRow): Date {
  return new Date(last_used_at.getTime() + signInDays * 86_400_000)
}

/** The name is the author of what the person writes from now on. */
export function nameSignIn(app: App, id: number, name: string): Promise<SignInRow> {
  return transact(app.db, async (tx) => change(app, tx, id, { person_key: await findOrAddDashboardUser(tx, name) }))
}

/** The caller has checked the operator's password. */
export function makeOperator(app: App, id: number): Promise<SignInRow> {
  return transact(app.db, (tx) => change(app, tx, id, { is_operator: true }))
}

type Changes = Parameters<typeof updateSignIn>[2]

async function change(app: App, tx: Transaction, id: number, values: Changes): Promise<SignInRow> {
  await updateSignIn(tx, id, values)
  await app.events.publish(tx, signInsChanged, { payload: {} })
  const [row] = await selectSignInsById(tx, [id])
  return row ?? refuse('unauthorized', 'The browser was signed out meanwhile')
}

export async function listSignIns(app: App, page: Page, currentId: number | undefined) {
  const { rows, totalCount } = await selectSignIns(app.db, page)
  return { items: rows.map((row) => presentSignIn(row, currentId)), totalCount }
}

export async function endSignIn(app: App, id: number): Promise<void> {
  await transact(app.db, async (tx) => {
    if (!(await deleteSignIn(tx, id))) refuseMissing()
    await app.events.publish(tx, signInsChanged, { payload: {} })
  })
  await app.signals.announce(signInsTopic)
}

/** Undefined: of a browser on open pages that gave no name. */
export function presentSession({ webAuth, events }: App, row: SignInRow | undefined): BrowserSession {
  return {
    id: row?.id ?? null,
    name: row?.display_name ?? null,
    person_key: row?.person_key ?? null,
    signed_in_by: row?.signed_in_by ?? 'none',
    operator: row?.is_operator ?? false,
    read_only: row?.key_scope === 'read',
    web_auth: webAuth,
    created_at: row ? formatTimestamp(row.created_at) : null,
    expires_at: row ? formatTimestamp(expiryOf(row)) : null,
    last_event_id: events.relayedPosition(),
  }
}

function presentSignIn(row: SignInRow, currentId: number | undefined): SignIn {
  return {
    id: row.id,
    name: row.display_name,
    person_key: row.person_key,
    signed_in_by: row.signed_in_by,
    operator: row.is_operator,
    read_only: row.key_scope === 'read',
    is_current: row.id === currentId,
    user_agent: row.user_agent,
    created_at: formatTimestamp(row.created_at),
    last_used_at: formatTimestamp(row.last_used_at),
    expires_at: formatTimestamp(expiryOf(row)),
  }
}
