import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { pricedVolumes, unsplitTokens } from './cost-store.ts'
import type { Volumes } from './price-table.ts'

/** From a time until before another, or without an end. */
export type CallSpan = { from: Date; to: Date | null }

/** What the agent of a session and its subagents used, by span and model. `place` is the index of the span. */
export async function selectSpans(
  db: Database,
  sessionId: number,
  spans: readonly CallSpan[],
): Promise<(Volumes & { place: number; model: string })[]> {
  if (spans.length === 0) return []
  const sums = pricedVolumes.map((volume) => {
    const used = volume === 'cache_creation_unsplit_tokens' ? unsplitTokens : sql.ref(volume)
    return sql`sum(${used})::bigint as ${sql.ref(volume)}`
  })
  const { rows } = await sql<Volumes & { place: number; model: string }>`
    select span.place::int - 1 as place, calls.model, ${sql.join(sums)}
    from unnest(
      ${spans.map(({ from }) => from)}::timestamptz[],
      ${spans.map(({ to }) => to)}::timestamptz[]
    ) with ordinality as span (begins, ends, place)
    join session_usage as calls
      on calls.session_id = ${sessionId}
      and calls.source is null
      and calls.called_at >= span.begins
      and (span.ends is null or calls.called_at < span.ends)
    group by span.place, calls.model
  `.execute(db)
  return rows
}
