import type pg from 'pg'

type Link = { junior: number; senior: number }

/** Inserts an uncle link directly into its table. */
export async function insertUncleLink(pool: pg.Pool, link: Link): Promise<void> {
  await insertUncleLinks(pool, [link])
}

export async function insertUncleLinks(pool: pg.Pool, links: readonly Link[]): Promise<void> {
  await pool.query(
    `insert into uncle_links (junior_session_id, senior_session_id, source)
     select junior, senior, 'api_v1:sessions.follow_up'
     from unnest($1::bigint[], $2::bigint[]) as link (junior, senior)`,
    [links.map(({ junior }) => junior), links.map(({ senior }) => senior)],
  )
}

/** Each link as `senior>junior`, sorted. */
export async function uncleLinks(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ link: string }>(
    `select senior_session_id || '>' || junior_session_id as link
     from uncle_links
     order by senior_session_id, junior_session_id`,
  )
  return rows.map(({ link }) => link)
}

/** Inserts sessions; each entry is the index of the session's parent, or null. Returns the ids in order. */
export async function insertTree(pool: pg.Pool, parents: readonly (number | null)[]): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into sessions (agent_runtime, genesis, git_root, branch, config)
     select 'demo', 'api', '/srv/widgets', 'main', '{"model": "demo"}'
     from generate_series(1, $1)
     returning id`,
    [parents.length],
  )
  const ids = rows.map(({ id }) => Number(id)).sort((one, other) => one - other)
  await pool.query(
    `update sessions
     set parent_session_id = spawned.parent
     from unnest($1::bigint[], $2::bigint[]) as spawned (id, parent)
     where sessions.id = spawned.id`,
    [ids, parents.map((parent) => (parent === null ? null : ids[parent]))],
  )
  return ids
}
