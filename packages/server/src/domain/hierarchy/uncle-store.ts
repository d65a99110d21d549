import { type Generated, type Selectable, sql } from 'kysely'
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

/** Any constant: it only has to be the same on every host. */
const uncleLockKey = 7_346_031

/** A link is judged by all the others, so they are written one at a time. */
export async function lockUncleLinks(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${uncleLockKey})`.execute(tx)
}

/**
 * It cannot be deleted until the transaction ends. Only who is deleting it bars the way, and then it counts as gone: to
 * wait for that one while holding a relative of the session would be a deadlock.
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

/** More relatives above one session than anybody can oversee. */
const mostSeniors = 5000

/**
 * Whether one session stands above another, by any chain of spawns and links but for the direct link that is left out.
 * Looked for from below, where there are few. Beyond the bound the answer is yes: a link that might close a circle is not
 * written.
 */
export async function isAbove(
  tx: Transaction,
  { senior, junior }: Pair,
  options: { withoutDirectLink: boolean },
): Promise<boolean> {
  const leftOut = options.withoutDirectLink ? [senior] : []
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
          and not (junior_session_id = ${junior} and senior_session_id = any (${leftOut}::bigint[]))
      ) as above
    ),
    looked_at as (
      select id
      from seniors
      limit ${mostSeniors + 1}
    )
    select coalesce(bool_or(id = ${senior}), false) or count(*) > ${mostSeniors} as is_above
    from looked_at
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

/** The link that was there; of several who delete it, one gets it. */
export function deleteUncleLink(tx: Transaction, { senior, junior }: Pair): Promise<UncleLink | undefined> {
  return tx
    .deleteFrom('uncle_links')
    .where('junior_session_id', '=', junior)
    .where('senior_session_id', '=', senior)
    .returningAll()
    .executeTakeFirst()
}
