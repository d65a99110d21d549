import { type Generated, type Selectable, sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'

export type UncleSource =
  | 'api_v1:sessions.follow_up'
  | 'api_v1:enqueued_messages.create'
  | 'api_v1:enqueued_messages.interrupt'

type UncleLinkTable = {
  junior_session_id: number
  senior_session_id: number
  source: UncleSource
  created_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    uncle_links: UncleLinkTable
  }
}

export type UncleLink = Selectable<UncleLinkTable>
export type Pair = { senior: number; junior: number }

/** Serialises inserts of links: the cycle check reads all other links. */
export async function lockUncleLinks(tx: Transaction): Promise<void> {
  await takeLock(tx, 'uncleLinks')
}

/**
 * Locks the session against deletion until the transaction ends. False if it does not exist or if a transaction is
 * deleting it: waiting for that transaction while holding the lock of a related session could deadlock.
 */
export async function holdUnlessGone(tx: Transaction, id: number): Promise<boolean> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id)
    .forKeyShare()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}

/** Bounds the cost of the cycle check. */
const checkedSeniors = 5000

/**
 * Whether one session is above another by any chain of spawns and links, optionally ignoring the direct link. Walks upward
 * from the junior, because a session has few seniors. Beyond the bound the answer is true, so that no link is written
 * which might close a cycle.
 */
export async function isAbove(
  tx: Transaction,
  { senior, junior }: Pair,
  options: { withoutDirectLink: boolean },
): Promise<boolean> {
  const ignored = options.withoutDirectLink ? [senior] : []
  const { rows } = await sql<{ is_above: boolean }>`
    with recursive seniors (id) as (
      select ${junior}::bigint
      union
      select above.id
      from seniors
      cross join lateral (
        select parent_session_id as id
        from sessions
        where sessions.id = seniors.id
          and parent_session_id is not null
        union all
        select senior_session_id
        from uncle_links
        where junior_session_id = seniors.id
          and not (junior_session_id = ${junior} and senior_session_id = any (${ignored}::bigint[]))
      ) as above
    ),
    checked as (
      select id
      from seniors
      limit ${checkedSeniors + 1}
    )
    select coalesce(bool_or(id = ${senior}), false) or count(*) > ${checkedSeniors} as is_above
    from checked
  `.execute(tx)
  return rows[0]?.is_above ?? true
}

export async function insertUncleLink(tx: Transaction, { senior, junior }: Pair, source: UncleSource): Promise<void> {
  await tx.insertInto('uncle_links').values({ junior_session_id: junior, senior_session_id: senior, source }).execute()
}

export function selectUncleLink(db: Database | Transaction, { senior, junior }: Pair): Promise<UncleLink | undefined> {
  return db
    .selectFrom('uncle_links')
    .selectAll()
    .where('junior_session_id', '=', junior)
    .where('senior_session_id', '=', senior)
    .executeTakeFirst()
}

/** The deleted link. Of several concurrent deletes only one gets it. */
export function deleteUncleLink(tx: Transaction, { senior, junior }: Pair): Promise<UncleLink | undefined> {
  return tx
    .deleteFrom('uncle_links')
    .where('junior_session_id', '=', junior)
    .where('senior_session_id', '=', senior)
    .returningAll()
    .executeTakeFirst()
}
