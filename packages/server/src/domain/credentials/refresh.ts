import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { untilReachable } from '../../platform/db/until-reachable.ts'
import type { EventKind } from '../../platform/events/event.ts'
import type { Client } from '../../platform/oauth/client.ts'
import { isSecureEndpoint } from '../../platform/oauth/endpoint-rule.ts'
import { TokenRequestFailed, type Tokens, untilSent } from '../../platform/oauth/tokens.ts'
import type { App } from '../app.ts'
import {
  beginRefresh,
  type CredentialTable,
  lockCredential,
  type RefreshRow,
  recordFailedRefresh,
  saveTokens,
  selectDue,
} from './credential-store.ts'

declare module '../app.ts' {
  interface App {
    /** The refreshes that this process makes, by the id of the credential: callers that need the same token share one. */
    refreshes: Map<string, Promise<void>>
  }
}

/** One kind of stored credential. The refresh itself is the same for all. */
export type CredentialKind<Row extends RefreshRow> = {
  table: CredentialTable
  clientOf(app: App, row: Row): Client
  resourceOf?(row: Row): string | null
  /** Fields for the log. */
  about(row: Row): Record<string, string>
  /** What a person does when the refresh token is refused. */
  remedy: string
  /** What an operator does when the client is refused that they set up. It says nothing about the tokens, so they stay. */
  clientRemedy?: string
  /** What readers are told when tokens were renewed, or could not be. */
  changed?: EventKind<Record<string, never>>
}

export type Wanted = {
  /** Refresh a token that has less than this left. A failed refresh returns the old one while it is valid. */
  marginSeconds: number
  /** The sealed form of a token that its server has refused: another one is needed. */
  refused?: string
}

type Sealed = { table: CredentialTable; id: string; column: string }

export function sealIn(app: Pick<App, 'vault'>, place: Sealed, text: string | undefined): string | null {
  return text === undefined ? null : app.vault.seal(place, text)
}

export function openFrom(app: Pick<App, 'vault'>, place: Sealed, sealed: string | null): string | undefined {
  return sealed === null ? undefined : app.vault.open(place, sealed)
}

export function expiryOf({ clock }: Pick<App, 'clock'>, { expiresInSeconds }: Tokens): Date | null {
  return expiresInSeconds === undefined ? null : new Date(clock.now().getTime() + expiresInSeconds * 1000)
}

/** A credential whose token endpoint breaks the rule for endpoints is not refreshable. */
export function isRefreshable({ refresh_token, token_endpoint }: RefreshRow): boolean {
  return refresh_token !== null && token_endpoint !== null && isSecureEndpoint(token_endpoint)
}

/** Whether the row should be read again: a refresh was due, and has ended. */
export async function refreshIfDue<Row extends RefreshRow>(
  app: App,
  kind: CredentialKind<Row>,
  row: Row,
  wanted: Wanted,
): Promise<boolean> {
  if (!isDue(app, row, wanted)) return false
  const { id } = row
  const underway = app.refreshes.get(id) ?? refresh(app, kind, id, wanted).finally(() => app.refreshes.delete(id))
  app.refreshes.set(id, underway)
  await underway
  return true
}

const daySeconds = 86_400

/** In the background. One that expired more than a day ago is left to the next use. */
export async function refreshDue<Row extends RefreshRow>(
  app: App,
  kind: CredentialKind<Row>,
  { marginSeconds, signal }: { marginSeconds: number; signal: AbortSignal },
): Promise<void> {
  const due = await selectDue<Row>(app.db, kind.table, { soonSeconds: marginSeconds, longAgoSeconds: daySeconds })
  for (const row of due) {
    if (signal.aborted) return
    // One that cannot be opened must not keep the others from being refreshed.
    await refreshIfDue(app, kind, row, { marginSeconds }).catch((error: unknown) =>
      app.log.error({ err: error, ...kind.about(row) }, 'a token could not be refreshed'),
    )
  }
}

function isDue(app: App, row: RefreshRow, { marginSeconds, refused }: Wanted): boolean {
  if (!isRefreshable(row)) return false
  if (row.access_token === refused) return true
  return row.expires_at !== null && row.expires_at.getTime() - app.clock.now().getTime() < marginSeconds * 1000
}

/** Twice what an attempt may take: three connections of 30 seconds each. After this another host may try once more. */
const claimSeconds = 180
const pollMs = 200

/**
 * One refresh at a time in all hosts. It is recorded as begun before the request is sent, and what came of it in one statement. So a
 * process that dies in between leaves a row that says so: the next refresh sends the old refresh token once more, and a server that
 * used it up says `invalid_grant`, which asks for a new sign-in.
 */
async function refresh<Row extends RefreshRow>(
  app: App,
  kind: CredentialKind<Row>,
  id: string,
  wanted: Wanted,
): Promise<void> {
  const run = randomUUID()
  for (;;) {
    const claimed = await transact(app.db, async (tx) => {
      const row = await lockCredential<Row>(tx, kind.table, id)
      if (!row || !isDue(app, row, wanted)) return 'done' as const
      if (row.is_underway) return 'busy' as const
      if (row.is_early) return 'done' as const
      await beginRefresh(tx, kind.table, id, { run, hostId: app.home.hostId, seconds: claimSeconds })
      return { row, wasInterrupted: row.refresh_run !== null }
    })
    if (claimed === 'done') return
    if (claimed !== 'busy') return send(app, kind, claimed.row, { id, run, wasInterrupted: claimed.wasInterrupted })
    await wait(pollMs)
  }
}

type Attempt = { id: string; run: string; wasInterrupted: boolean }

async function send<Row extends RefreshRow>(
  app: App,
  kind: CredentialKind<Row>,
  row: Row,
  attempt: Attempt,
): Promise<void> {
  const { table } = kind
  const refreshToken = openFrom(app, { table, id: row.id, column: 'refresh_token' }, row.refresh_token)
  if (refreshToken === undefined || row.token_endpoint === null) return
  const endpoint = { address: row.token_endpoint, client: kind.clientOf(app, row) }
  const resource = kind.resourceOf?.(row) ?? undefined
  try {
    const tokens = await untilSent(() => app.oauth.refresh(endpoint, { refreshToken, resource }))
    await save(app, kind, row, tokens)
  } catch (error) {
    if (!(error instanceof TokenRequestFailed)) throw error
    await recordFailure(app, kind, row, { attempt, error })
  }
}

/** Waits for the database: the old refresh token may be used up already. */
async function save<Row extends RefreshRow>(
  app: App,
  kind: CredentialKind<Row>,
  row: Row,
  tokens: Tokens,
): Promise<void> {
  const { table, about } = kind
  const place = (column: string) => ({ table, id: row.id, column })
  const refreshToken = sealIn(app, place('refresh_token'), tokens.refreshToken)
  const sealed = {
    access_token: app.vault.seal(place('access_token'), tokens.accessToken),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    expires_at: expiryOf(app, tokens),
  }
  const isSaved = await untilReachable(() => announced(app, kind, (tx) => saveTokens(tx, table, row, sealed)))
  if (!isSaved) app.log.warn(about(row), 'a refreshed token came when the credential had others, and is not used')
}

/** The shortest pause after a failure, so that many sessions do not ask a server that is down. */
const pauseSeconds = 15
const maxPauseSeconds = 3600

async function recordFailure<Row extends RefreshRow>(
  app: App,
  kind: CredentialKind<Row>,
  row: Row,
  { attempt, error }: { attempt: Attempt; error: TokenRequestFailed },
): Promise<void> {
  const { table, about, remedy, clientRemedy } = kind
  const lost = attempt.wasInterrupted
    ? ' An earlier refresh was cut off, so its refresh token may have been used up.'
    : ''
  const aboutClient = error.code === 'invalid_client' ? clientRemedy : undefined
  const isOver = error.kind === 'permanent' && aboutClient === undefined
  const advice = isOver ? `${lost} ${remedy}` : aboutClient === undefined ? '' : ` ${aboutClient}`
  const failure = {
    ...(isOver && { refresh_token: null }),
    refresh_error: `${error.message}.${advice}`,
    afterSeconds: Math.min(Math.max(error.retryAfterSeconds ?? 0, pauseSeconds), maxPauseSeconds),
  }
  await untilReachable(() => announced(app, kind, (tx) => recordFailedRefresh(tx, table, attempt, failure)))
  app.log.warn({ ...about(row), kind: error.kind, reason: error.message }, 'a token could not be refreshed')
}

/** The change of the row and its event in one transaction. `change` answers whether it changed the row. */
function announced<Row extends RefreshRow>(
  app: App,
  { changed }: CredentialKind<Row>,
  change: (tx: Transaction) => Promise<boolean>,
): Promise<boolean> {
  return transact(app.db, async (tx) => {
    const isChanged = await change(tx)
    if (isChanged && changed) await app.events.publish(tx, changed, { payload: {} })
    return isChanged
  })
}
