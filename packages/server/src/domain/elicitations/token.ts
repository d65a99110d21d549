import { createHash, randomBytes } from 'node:crypto'
import type { Transaction } from '../../platform/db/database.ts'
import { afterCommit } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { deleteToken, selectTokenOwner, type TokenOwner, upsertToken } from './token-store.ts'

const prefix = 'yme_'

/** A new token for the MCP servers of a run. It replaces that of an earlier run, and is stored only as a digest. */
export async function issueToken(
  app: App,
  tx: Transaction,
  { sessionId, marker }: { sessionId: number; marker: string },
): Promise<string> {
  const token = prefix + randomBytes(32).toString('base64url')
  await upsertToken(tx, { session_id: sessionId, digest: digestOf(token), run_marker: marker })
  app.questions.issued.set(marker, token)
  afterCommit(tx, () => app.questions.forget(sessionId))
  return token
}

/** The token of a run that has ended, or of a session that is archived. */
export async function revokeToken(
  app: App,
  tx: Transaction,
  { sessionId, marker }: { sessionId: number; marker?: string },
): Promise<void> {
  await deleteToken(tx, sessionId, marker)
  afterCommit(tx, () => app.questions.forget(sessionId))
}

/** The run whose servers have the token. Compares digests, so the time it takes says nothing about the token. */
export async function findTokenOwner(
  app: App,
  token: string,
  db: App['db'] | Transaction = app.db,
): Promise<TokenOwner> {
  const owner = token.startsWith(prefix) ? await selectTokenOwner(db, digestOf(token)) : undefined
  return owner ?? refuse('unauthorized', 'The URL belongs to no session')
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
