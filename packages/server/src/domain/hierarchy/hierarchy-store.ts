import { limits } from '@yardmaster/contract/limits'
import type { Genesis, PriorityClass, SessionStatus } from '@yardmaster/contract/sessions/fields'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { metadataText } from '../sessions/session.ts'

export type KinRow = {
  id: number
  title: string | null
  /** The catalog root that the session was created from, by its metadata. */
  agent_root_key: string | null
  git_root: string
  subdirectory: string | null
  status: SessionStatus
  genesis: Genesis
  scheduling_class: PriorityClass | null
  parent_session_id: number | null
  /** Null for the requested session if the bounds cut it off. */
  depth: number | null
  /** Only uncles that are in the result, lowest id first. */
  uncle_ids: number[]
}

/** The rows by depth, then by id. */
export type Kin = { originId: number; isCut: boolean; rows: KinRow[] }

type Listed = Omit<KinRow, 'uncle_ids'> & { uncle_ids: string[] | null; origin_id: number; is_cut: boolean }

const { levels, sessions: most } = limits.hierarchy

/**
 * A session and its relatives in one query. Each recursive walk produces one row a level, with arrays of the sessions on
 * that level and of all sessions seen so far. A session is therefore visited once, at its smallest depth; cycles end; and
 * no walk reads more than the bounds allow, whatever the number of children. One row a session would be simpler, but such
 * a recursion cannot stop at a bound. A walk that reaches a bound marks its last row `is_cut` and stops.
 *
 * Sessions are looked up by arrays of ids instead of joined with the walks: the planner overestimates the size of a
 * recursive walk and would scan the whole table.
 */
export async function selectKin(db: Database, sessionId: number): Promise<Kin | undefined> {
  const { rows } = await sql<Listed>`
    with recursive
    spawn_line (id, parent_id, seen) as (
      select id, parent_session_id, array[id]
      from sessions
      where id = ${sessionId}
      union all
      select parent.id, parent.parent_session_id, line.seen || parent.id
      from spawn_line as line
      join sessions as parent on parent.id = line.parent_id
      where parent.id <> all (line.seen)
        and cardinality(line.seen) <= ${levels}
    ),
    origin as (
      select id, coalesce(parent_id <> all (seen), false) as is_cut
      from spawn_line
      order by cardinality(seen) desc
      limit 1
    ),
    climb (level, frontier, seen, is_cut) as (
      select 0, array[id], array[id], false
      from sessions
      where id = ${sessionId}
      union all
      select
        climb.level + 1,
        above.ids,
        climb.seen || above.ids,
        climb.level = ${levels} or cardinality(climb.seen) + cardinality(above.ids) > ${most}
      from climb
      cross join lateral (
        select array_agg(distinct senior.id) as ids
        from unnest(climb.frontier) as junior (id)
        cross join lateral (
          select parent_session_id as id
          from sessions
          where sessions.id = junior.id
          union all
          (
            select senior_session_id
            from uncle_links
            where junior_session_id = junior.id
              and senior_session_id <> all (climb.seen)
            order by senior_session_id
            limit ${most + 1}
          )
        ) as senior
        where senior.id <> all (climb.seen)
      ) as above
      where not climb.is_cut
        and above.ids is not null
    ),
    summit as (
      select frontier, seen, (select bool_or(is_cut) from climb) as is_cut
      from climb
      where not is_cut
      order by level desc
      limit 1
    ),
    roots as (
      select
        array[origin.id] || coalesce(array_agg(anchor.id order by anchor.id) filter (where anchor.id <> origin.id), '{}') as ids
      from origin
      cross join summit
      left join sessions as anchor
        on anchor.id = any (summit.seen)
        and (
          summit.is_cut and anchor.id = any (summit.frontier)
          or anchor.parent_session_id is null
          and (select senior_session_id from uncle_links where junior_session_id = anchor.id limit 1) is null
        )
      group by origin.id
    ),
    descent (depth, frontier, seen, is_cut) as (
      select 0, ids[1:${most}], ids[1:${most}], cardinality(ids) > ${most}
      from roots
      union all
      select
        descent.depth + 1,
        below.ids[1:below.room],
        descent.seen || below.ids[1:below.room],
        cardinality(below.ids) > below.room
      from descent
      cross join lateral (
        select
          array_agg(id order by id) as ids,
          case when descent.depth = ${levels} then 0 else ${most} - cardinality(descent.seen) end as room
        from (
          select distinct junior.id
          from unnest(descent.frontier) as senior (id)
          cross join lateral (
            (
              select id
              from sessions
              where parent_session_id = senior.id
                and id <> all (descent.seen)
              order by id
              limit ${most + 1} - cardinality(descent.seen)
            )
            union all
            (
              select junior_session_id
              from uncle_links
              where senior_session_id = senior.id
                and junior_session_id <> all (descent.seen)
              order by junior_session_id
              limit ${most + 1} - cardinality(descent.seen)
            )
          ) as junior
          order by junior.id
          limit ${most + 1} - cardinality(descent.seen)
        ) as junior
      ) as below
      where not descent.is_cut
        and below.ids is not null
    ),
    listed (id, depth) as (
      select node.id, descent.depth
      from descent
      cross join unnest(descent.frontier) as node (id)
      union all
      select id, null
      from sessions
      where id = ${sessionId}
        and id <> all (select unnest(frontier) from descent)
    ),
    all_listed as (
      select array_agg(id) as ids
      from listed
    ),
    uncles (junior_id, ids) as materialized (
      select junior_session_id, array_agg(senior_session_id order by senior_session_id)
      from all_listed
      join uncle_links on junior_session_id = any (all_listed.ids)
      where senior_session_id = any (all_listed.ids)
      group by junior_session_id
    )
    select
      sessions.id,
      title,
      ${metadataText('agent_root_key')} as agent_root_key,
      git_root,
      subdirectory,
      status,
      genesis,
      scheduling_class,
      parent_session_id,
      listed.depth,
      uncles.ids as uncle_ids,
      origin.id as origin_id,
      origin.is_cut or summit.is_cut or (select bool_or(is_cut) from descent) as is_cut
    from all_listed
    join sessions on sessions.id = any (all_listed.ids)
    join listed on listed.id = sessions.id
    left join uncles on uncles.junior_id = sessions.id
    cross join origin
    cross join summit
    order by listed.depth, sessions.id
  `.execute(db)
  const [first] = rows
  return first && { originId: first.origin_id, isCut: first.is_cut, rows: rows.map(withNumbers) }
}

/** The driver returns a bigint array as strings. */
function withNumbers({ uncle_ids, ...row }: Listed): KinRow {
  return { ...row, uncle_ids: uncle_ids?.map(Number) ?? [] }
}

/** Whether a session is `top` or one of its descendants by spawning. */
export async function isDescendant(db: Database, { top, session }: { top: number; session: number }): Promise<boolean> {
  const { rows } = await sql<{ is_descendant: boolean }>`
    with recursive line (id) as (
      select ${session}::bigint
      union
      select sessions.parent_session_id
      from line
      join sessions on sessions.id = line.id
      where sessions.parent_session_id is not null
    )
    select exists (select from line where id = ${top}) as is_descendant
  `.execute(db)
  return rows[0]?.is_descendant ?? false
}
