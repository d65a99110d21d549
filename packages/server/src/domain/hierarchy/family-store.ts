import { sql } from 'kysely'
import type { Transaction } from '../../platform/db/database.ts'

/**
 * Counts the sessions that are not archived: the children of a session, and its whole tree. Takes a lock on the tree until the
 * transaction ends, so that the counts hold until a child is written.
 */
export async function countFamily(tx: Transaction, sessionId: number): Promise<{ children: number; tree: number }> {
  const origin = await originOf(tx, sessionId)
  await sql`select pg_advisory_xact_lock(hashtextextended('session tree', ${origin}))`.execute(tx)
  const { rows } = await sql<{ children: number; tree: number }>`
    with recursive tree (id, parent_id, status) as (
      select id, parent_session_id, status
      from sessions
      where id = ${origin}
      union
      select child.id, child.parent_session_id, child.status
      from tree
      join sessions as child on child.parent_session_id = tree.id
    )
    select
      count(*) filter (where parent_id = ${sessionId} and status <> 'archived')::integer as children,
      count(*) filter (where status <> 'archived')::integer as tree
    from tree
  `.execute(tx)
  return rows[0] ?? { children: 0, tree: 0 }
}

/** The session at the top of the spawn line. */
async function originOf(tx: Transaction, sessionId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with recursive line (id, parent_id, depth) as (
      select id, parent_session_id, 0
      from sessions
      where id = ${sessionId}
      union
      select parent.id, parent.parent_session_id, line.depth + 1
      from line
      join sessions as parent on parent.id = line.parent_id
    )
    select id from line order by depth desc limit 1
  `.execute(tx)
  return rows[0]?.id ?? sessionId
}
