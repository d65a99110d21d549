import { sql } from 'kysely'
import type { Database } from '../../../platform/db/database.ts'

/** Whether a session is this one or comes from it, through whichever number of parents. */
export async function isWithinTree(
  db: Database,
  { root, session }: { root: number; session: number },
): Promise<boolean> {
  const { rows } = await sql<{ is_within: boolean }>`
    with recursive line (id) as (
      select ${session}::bigint
      union
      select sessions.parent_session_id
      from line
      join sessions on sessions.id = line.id
      where sessions.parent_session_id is not null
    )
    select exists (select from line where id = ${root}) as is_within
  `.execute(db)
  return rows[0]?.is_within ?? false
}
