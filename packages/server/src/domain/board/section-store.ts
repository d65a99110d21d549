import type { BoardQuery, BoardView } from '@yardmaster/contract/board/read'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { type ClassByGenesis, matchesFilters, metadataText } from '../sessions/session.ts'
import { needJoins, needKind } from './needs-store.ts'

/** The matching sessions of a section in order; the key is null for the sessions of no category. */
export type SectionRow = { key: string | null; ids: number[] }

/** All sections in one query. Ids alone are cheap, so that the whole section is known and only a page of it is read. */
export async function selectSections(
  db: Database,
  query: BoardQuery,
  classByGenesis: ClassByGenesis,
): Promise<SectionRow[]> {
  const { joins, section, order } = views[query.view]
  const filtered = db
    .selectFrom('sessions')
    .selectAll('sessions')
    .select(sql<string>`coalesce(scheduling_class, ${JSON.stringify(classByGenesis)}::jsonb ->> genesis)`.as('class'))
    .where((is) => matchesFilters(is, query, classByGenesis))
  const { rows } = await sql<SectionRow>`
    select ${section} as key, json_agg(sessions.id order by ${order}) as ids
    from (${filtered}) as sessions
    ${joins}
    ${query.needs_you === undefined ? sql`` : needJoins}
    where ${sql.join(conditionsOf(query), sql` and `)}
    group by 1
  `.execute(db)
  return rows
}

function conditionsOf({ agent_root, q, favorited, author, needs_you }: BoardQuery): RawBuilder<SqlBool>[] {
  const conditions = [sql<SqlBool>`true`]
  if (agent_root) conditions.push(sql`${metadataText('agent_root_key')} = ${agent_root}`)
  if (favorited !== undefined) conditions.push(sql`sessions.favorited = ${favorited}`)
  if (author) conditions.push(heardFrom(author))
  if (needs_you !== undefined) conditions.push(sql`(${needKind} is not null) = ${needs_you}`)
  const phrase = q?.trim()
  if (phrase) conditions.push(containsText(phrase))
  return conditions
}

function heardFrom(author: string): RawBuilder<SqlBool> {
  return sql`exists (
    select
    from human_messages
    where human_messages.session_id = sessions.id
      and human_messages.author_key = ${author}
  )`
}

/** `strpos` instead of `like`: no character of the phrase has a meaning. */
function containsText(phrase: string): RawBuilder<SqlBool> {
  const texts = sql`concat_ws(E'\n', sessions.title, sessions.slug, ${metadataText('agent_root_key')}, sessions.branch)`
  return sql`(strpos(lower(${texts}), lower(${phrase})) > 0 or sessions.id::text = ${phrase.replace(/^#/, '')})`
}

type View = { joins: RawBuilder<unknown>; section: RawBuilder<string | null>; order: RawBuilder<unknown> }

const none = sql``
const newestFirst = sql`sessions.created_at desc, sessions.id desc`

/** When one of the session's agents last wrote. */
export const lastEntries = sql`
  left join lateral (
    select max(last_entry_at) as at
    from transcript_threads
    where transcript_threads.session_id = sessions.id
  ) as written on true
`

/** The session's live turn, and its next one. */
const turnsOfSession = sql`
  left join turns as live on live.session_id = sessions.id and live.state in ('dispatched', 'executing')
  left join (
    select distinct on (session_id) session_id, created_at
    from turns
    where state = 'queued'
    order by session_id, sequence
  ) as next on next.session_id = sessions.id and sessions.status = 'waiting'
`

const views: Record<BoardView, View> = {
  categories: {
    joins: none,
    section: sql`sessions.category_id::text`,
    order: sql`sessions.favorited desc, sessions.sort_order, ${newestFirst}`,
  },
  touched: {
    joins: lastEntries,
    section: sql`'all'`,
    order: sql`greatest(sessions.updated_at, written.at) desc, sessions.id desc`,
  },
  created: { joins: none, section: sql`'all'`, order: newestFirst },
  ranked: {
    joins: turnsOfSession,
    section: sql`case when live.id is not null then 'running' when next.session_id is not null then 'queue' else 'resting' end`,
    // As turns are admitted: priority first, then precedence, then age.
    order: sql`sessions.class = 'spot', sessions.precedence desc, coalesce(next.created_at, sessions.created_at), sessions.id`,
  },
}
