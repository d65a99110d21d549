import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'

type PullRequestTable = {
  session_id: number
  repo: string
  number: number
  url: string
  state: 'open' | 'closed' | 'merged' | null
  has_conflict: Generated<boolean>
  found_in: 'transcript' | 'custom_metadata'
  conflict_message_id: number | null
  check_at: Generated<Date>
  changed_at: Generated<Date>
  created_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    session_pull_requests: PullRequestTable
    pull_request_scans: { session_id: number; entry_count: Generated<number>; metadata_digest: string | null }
  }
}

export type FollowedPullRequest = Selectable<PullRequestTable>
export type PullRequestName = { repo: string; number: number }
export type Sighting = PullRequestName & { url: string }

/** Pull requests that a session is told about. An agent can print any number of addresses, and each costs requests. */
const maxFollowed = 50

/** The last of them, as far as the session may follow more. The caller holds the session's row lock. */
export async function insertSightings(
  tx: Transaction,
  sessionId: number,
  found: readonly Sighting[],
  foundIn: PullRequestTable['found_in'],
): Promise<void> {
  if (found.length === 0) return
  const followed = await selectOfSession(tx, sessionId)
  const isKnown = ({ repo, number }: Sighting) => followed.some((each) => each.repo === repo && each.number === number)
  const room = Math.max(0, maxFollowed - followed.length)
  const fresh = found.filter((sighting) => !isKnown(sighting))
  const rows = fresh
    .slice(Math.max(0, fresh.length - room))
    .map((sighting) => ({ session_id: sessionId, ...sighting, found_in: foundIn }))
  if (rows.length > 0) await tx.insertInto('session_pull_requests').values(rows).execute()
}

const isFollowed = sql<boolean>`(state is null or state = 'open')`

/** The pull requests that are due, each once however many sessions follow it. */
export async function selectDue(db: Database, limit: number): Promise<PullRequestName[]> {
  return db
    .selectFrom('session_pull_requests')
    .innerJoin('sessions', 'sessions.id', 'session_pull_requests.session_id')
    .select(['repo', 'number'])
    .where(isFollowed)
    .where('check_at', '<=', sql<Date>`now()`)
    .where('sessions.status', '<>', 'archived')
    .groupBy(['repo', 'number'])
    .orderBy(({ fn }) => fn.min('check_at'))
    .limit(limit)
    .execute()
}

export async function selectFollowers(db: Database, { repo, number }: PullRequestName): Promise<number[]> {
  const rows = await db
    .selectFrom('session_pull_requests')
    .select('session_id')
    .where('repo', '=', repo)
    .where('number', '=', number)
    .where(isFollowed)
    .orderBy('session_id')
    .execute()
  return rows.map(({ session_id: id }) => id)
}

/** The caller holds the session's row lock. */
export function selectOfSession(db: Database | Transaction, sessionId: number): Promise<FollowedPullRequest[]> {
  return db
    .selectFrom('session_pull_requests')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('created_at')
    .orderBy('number')
    .execute()
}

type Changes = {
  state?: 'open' | 'closed' | 'merged'
  has_conflict?: boolean
  conflict_message_id?: number | null
  isChanged: boolean
  checkAfterSeconds: number
}

export async function updatePullRequest(
  tx: Transaction,
  { session_id, repo, number }: FollowedPullRequest,
  { isChanged, checkAfterSeconds, ...columns }: Changes,
): Promise<void> {
  await tx
    .updateTable('session_pull_requests')
    .set({
      ...columns,
      check_at: sql<Date>`now() + ${checkAfterSeconds} * interval '1 second'`,
      ...(isChanged && { changed_at: sql<Date>`now()` }),
    })
    .where('session_id', '=', session_id)
    .where('repo', '=', repo)
    .where('number', '=', number)
    .execute()
}

export async function postponeCheck(db: Database, { repo, number }: PullRequestName, seconds: number): Promise<void> {
  await db
    .updateTable('session_pull_requests')
    .set({ check_at: sql<Date>`now() + ${seconds} * interval '1 second'` })
    .where('repo', '=', repo)
    .where('number', '=', number)
    .execute()
}

export async function deletePullRequest(
  tx: Transaction,
  { session_id, repo, number }: FollowedPullRequest,
): Promise<void> {
  await tx
    .deleteFrom('session_pull_requests')
    .where('session_id', '=', session_id)
    .where('repo', '=', repo)
    .where('number', '=', number)
    .execute()
}

/** The session's pull requests that the forge was not asked about yet. */
export function selectUnchecked(db: Database, sessionId: number): Promise<PullRequestName[]> {
  return db
    .selectFrom('session_pull_requests')
    .select(['repo', 'number'])
    .where('session_id', '=', sessionId)
    .where('state', 'is', null)
    .execute()
}

/** The pull requests with a notice about a conflict that waits in the session's queue. */
export function selectWithNotice(db: Database, sessionId: number): Promise<PullRequestName[]> {
  return db
    .selectFrom('session_pull_requests')
    .innerJoin('enqueued_messages', 'enqueued_messages.id', 'conflict_message_id')
    .select(['repo', 'number'])
    .where('session_pull_requests.session_id', '=', sessionId)
    .where('enqueued_messages.status', '=', 'pending')
    .execute()
}
