import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { UnitPrices, Volumes } from './price-table.ts'

/** Both bounds are part of the window. */
export type Span = { from: Date; to: Date }

export type Scope =
  | { kind: 'fleet' }
  /** Without ad hoc calls. */
  | { kind: 'agent_root'; agentRoot: string }
  /** With the ad hoc calls about the session. */
  | { kind: 'session'; sessionId: number }

export type Summed = Volumes & { api_calls: number; cache_creation_tokens: number; web_fetch_requests: number }

export type DayGroup = Summed & {
  day: string
  agent_root: string | null
  agent_runtime: string
  model: string
  subagent: boolean
  source: string | null
}

/** The columns that have a price. */
export const pricedVolumes = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_creation_5m_tokens',
  'cache_creation_1h_tokens',
  'cache_creation_unsplit_tokens',
  'web_search_requests',
] as const satisfies readonly (keyof Volumes)[]

const sums = [...pricedVolumes, 'api_calls', 'cache_creation_tokens', 'web_fetch_requests'] as const

/** As bigint: PostgreSQL sums up to numeric, which arrives as a text. */
const summedColumns = sql.join(sums.map((column) => sql`sum(${sql.ref(column)})::bigint as ${sql.ref(column)}`))

/** One row for each day, root, runtime, model, kind of thread and source. */
export async function selectDays(db: Database, span: Span, scope: Scope): Promise<DayGroup[]> {
  const { rows } = await sql<DayGroup>`
    with calls as (${callsIn(span, scope)})
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, agent_root, agent_runtime, model, subagent, source, ${summedColumns}
    from calls
    group by 1, agent_root, agent_runtime, model, subagent, source
    order by 1
  `.execute(db)
  return rows
}

export type SessionGroup = {
  session_id: number | null
  title: string | null
  cost: number
  tokens: number
  api_calls: number
}

/**
 * The sessions that cost most. A deleted one has lost its id and is told from others by its conversation. The same prices as
 * everywhere are passed in: the database only multiplies.
 */
export async function selectTopSessions(
  db: Database,
  span: Span,
  scope: Scope,
  { prices, limit }: { prices: ReadonlyMap<string, UnitPrices>; limit: number },
): Promise<SessionGroup[]> {
  const models = [...prices.keys()]
  const units = pricedVolumes.map((volume) => [...prices.values()].map((unit) => unit[volume]))
  const priced = sql.join(
    pricedVolumes.map((volume, index) => sql`calls.${sql.ref(volume)} * coalesce(prices.${sql.ref(`p${index}`)}, 0)`),
    sql` + `,
  )
  const { rows } = await sql<SessionGroup>`
    with calls as (${callsIn(span, scope)}),
    prices (model, ${sql.join(pricedVolumes.map((_, index) => sql.ref(`p${index}`)))}) as (
      select * from unnest(${models}::text[], ${sql.join(units.map((unit) => sql`${unit}::float8[]`))})
    ),
    spent as (
      select session_id, case when session_id is null then runtime_session_id end as conversation,
        sum(${priced}) as cost,
        sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens)::bigint as tokens,
        sum(api_calls)::bigint as api_calls
      from calls
      left join prices using (model)
      where session_id is not null or runtime_session_id is not null
      group by 1, 2
      order by cost desc, tokens desc, session_id, conversation
      limit ${limit}
    )
    select spent.session_id, sessions.title, spent.cost, spent.tokens, spent.api_calls
    from spent
    left join sessions on sessions.id = spent.session_id
    order by spent.cost desc, spent.tokens desc, spent.session_id, spent.conversation
  `.execute(db)
  return rows
}

/** Whole hours from the sums, the rest of the window from the calls themselves. */
function callsIn({ from, to }: Span, scope: Scope): RawBuilder<unknown> {
  const hourMs = 3_600_000
  const firstHour = new Date(Math.ceil(from.getTime() / hourMs) * hourMs)
  const endOfHours = new Date(Math.max(Math.floor(to.getTime() / hourMs) * hourMs, firstHour.getTime()))
  const keys = sql`session_id, runtime_session_id, agent_root, agent_runtime, model, subagent, source`
  const volumes = sql.join(sums.map((column) => sql.ref(column)))
  const ofCall: Partial<Record<(typeof sums)[number], RawBuilder<unknown>>> = {
    api_calls: sql`1`,
    cache_creation_unsplit_tokens: unsplitTokens,
  }
  const volumesOfCall = sql.join(sums.map((column) => ofCall[column] ?? sql.ref(column)))
  const inScope = scopeCondition(scope)
  return sql`
    select hour as at, ${keys}, ${volumes}
    from usage_hours
    where hour >= ${firstHour} and hour < ${endOfHours} and ${inScope}
    union all
    select called_at, ${keys}, ${volumesOfCall}
    from session_usage
    where called_at >= ${from} and called_at < ${firstHour} and called_at <= ${to} and ${inScope}
    union all
    select called_at, ${keys}, ${volumesOfCall}
    from session_usage
    where called_at >= ${endOfHours} and called_at <= ${to} and ${inScope}
  `
}

/** The cache writes of a call that reports no lifetime for them. */
export const unsplitTokens = sql<number>`
  case when cache_creation_5m_tokens = 0 and cache_creation_1h_tokens = 0 then cache_creation_tokens else 0 end
`

function scopeCondition(scope: Scope): RawBuilder<SqlBool> {
  if (scope.kind === 'session') return sql`session_id = ${scope.sessionId}`
  if (scope.kind === 'agent_root') return sql`agent_root = ${scope.agentRoot} and source is null`
  return sql`true`
}
