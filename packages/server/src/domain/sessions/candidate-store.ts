import type { Page } from '@yardmaster/contract/paging'
import type { SessionFilters } from '@yardmaster/contract/sessions/fields'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type ClassByGenesis, matchesFilters } from './session-store.ts'

export type Candidate = { id: number; createdAtMicros: number }

type Span = {
  /** The cursor: only sessions strictly older than this one. */
  below: { createdAt: string; id: string } | undefined
  limit: number
}

/** Matching sessions, newest first. Reads only two columns because there may be tens of thousands of rows. */
export async function selectCandidates(
  db: Database,
  filters: SessionFilters,
  classByGenesis: ClassByGenesis,
  { below, limit }: Span,
): Promise<Candidate[]> {
  let query = db
    .selectFrom('sessions')
    .select(['id', 'created_at'])
    .where((is) => matchesFilters(is, filters, classByGenesis))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (below)
    query = query.where(sql<boolean>`(created_at, id) < (${below.createdAt}::timestamptz, ${below.id}::bigint)`)
  // Aggregated into two arrays, which the driver parses several times faster than rows. Microseconds fit a JS number exactly.
  const { rows } = await sql<{ ids: number[] | null; micros: number[] | null }>`
    select
      json_agg(id order by created_at desc, id desc) as ids,
      json_agg((date_part('epoch', created_at) * 1000000)::bigint order by created_at desc, id desc) as micros
    from (${query}) as candidates
  `.execute(db)
  const { ids, micros } = rows[0] ?? {}
  return (ids ?? []).map((id, index) => ({ id, createdAtMicros: micros?.[index] ?? 0 }))
}

type Listing = { filters: SessionFilters; classByGenesis: ClassByGenesis; page: Page }

/**
 * The planner cannot estimate how many sessions meet the condition. `materialized` makes it find them all first: with the
 * limit in the same query it may scan every session, newest first, to find matches.
 */
export async function selectIdsWhere(
  db: Database,
  condition: Expression<SqlBool>,
  { filters, classByGenesis, page: { page, perPage } }: Listing,
): Promise<{ ids: number[]; totalCount: number }> {
  const matching = db
    .selectFrom('sessions')
    .select(['id', 'created_at'])
    .where(condition)
    .where((is) => matchesFilters(is, filters, classByGenesis))
  const { rows } = await sql<{ ids: string[]; total: number }>`
    with matching as materialized (${matching})
    select
      (select count(*) from matching) as total,
      array(
        select id::text
        from matching
        order by created_at desc, id desc
        limit ${perPage}
        offset ${(page - 1) * perPage}
      ) as ids
  `.execute(db)
  return { ids: (rows[0]?.ids ?? []).map(Number), totalCount: rows[0]?.total ?? 0 }
}
