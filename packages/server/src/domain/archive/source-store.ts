import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/**
 * Everything that changes a session's files changes this. Sums, not the newest time: a transaction that began earlier and
 * commits later writes a time that is not the newest. The number in front keeps what a host of an older version stored, without
 * generations, from counting as stored.
 */
const version = sql<string>`concat_ws(
  '/', 2, extract(epoch from sessions.updated_at), threads.entry_count, subagents.count, subagents.ids, subagents.times
)`

/** The sessions with a transcript. Forks that only write a summary are none. */
const sources = sql`
  sessions
  cross join lateral (
    select coalesce(sum(entry_count), 0) as entry_count
    from transcript_threads
    where session_id = sessions.id
  ) as threads
  cross join lateral (
    select count(*) as count, sum(id) as ids, sum(extract(epoch from updated_at)) as times
    from subagent_transcripts
    where session_id = sessions.id
  ) as subagents
`
const isSource = sql`
  sessions.summary_of_session_id is null
  and (threads.entry_count > 0 or subagents.count > 0)
`

type Slice = { after: number; limit: number }

/**
 * Of the next sessions by id, those that are not stored as they are now: also those that have no transcript any more. A slice
 * at a time, because comparing all sessions takes longer than a statement may. `last` is undefined after the last session.
 */
export async function selectChanged(
  db: Database,
  { after, limit }: Slice,
): Promise<{ last: number | undefined; changed: number[] }> {
  const { rows } = await sql<{ last: number | null; changed: number[] | null }>`
    with slice as materialized (
      select id
      from sessions
      where id > ${after}
      order by id
      limit ${limit}
    )
    select
      (select max(id) from slice) as last,
      (
        select json_agg(sessions.id order by sessions.id)
        from ${sources}
        left join archive_sessions as stored on stored.session_id = sessions.id
        where sessions.id in (select id from slice)
          and (${isSource} or stored.session_id is not null)
          and stored.version is distinct from ${version}
      ) as changed
  `.execute(db)
  const [found] = rows
  return { last: found?.last ?? undefined, changed: found?.changed ?? [] }
}

export type ArchivedSession = {
  id: number
  title: string | null
  slug: string | null
  status: string
  prompt: string | null
  git_root: string
  branch: string
  created_at: Date
  updated_at: Date
  archived_at: Date | null
  goal: string | null
  mcp_servers: string[]
  is_source: boolean
  version: string
  file_version: string
  entry_count: number
}

/** Undefined if the session is deleted. */
export async function selectArchivedSession(
  db: Database,
  sessionId: number,
  mainThread: string,
): Promise<ArchivedSession | undefined> {
  const { rows } = await sql<ArchivedSession>`
    select
      sessions.id, title, slug, status, prompt, git_root, branch, sessions.created_at, sessions.updated_at, archived_at,
      goal, mcp_servers, ${isSource} as is_source, ${version} as version,
      concat_ws('/', extract(epoch from sessions.updated_at), coalesce(main.entry_count, 0)) as file_version,
      coalesce(main.entry_count, 0) as entry_count
    from ${sources}
    left join transcript_threads as main on main.session_id = sessions.id and main.thread = ${mainThread}
    where sessions.id = ${sessionId}
  `.execute(db)
  return rows[0]
}

export type ArchivedSubagent = {
  id: number
  agent_id: string
  session_id: number
  thread: string | null
  status: string | null
  description: string | null
  subagent_type: string | null
  tool_use_id: string | null
  duration_ms: number | null
  total_tokens: number | null
  created_at: Date
  updated_at: Date
  file_version: string
  entry_count: number
}

/** Without the texts that callers sent. */
export async function selectArchivedSubagents(
  db: Database,
  sessionId: number,
  { after, limit }: Slice,
): Promise<ArchivedSubagent[]> {
  const { rows } = await sql<ArchivedSubagent>`
    select
      subagents.id, agent_id, subagents.session_id, subagents.thread, status, description, subagent_type, tool_use_id,
      duration_ms, total_tokens, created_at, updated_at,
      concat_ws('/', subagents.id, extract(epoch from updated_at), threads.entry_count) as file_version,
      coalesce(threads.entry_count, 0) as entry_count
    from subagent_transcripts as subagents
    left join transcript_threads as threads
      on threads.session_id = subagents.session_id and threads.thread = subagents.thread
    where subagents.session_id = ${sessionId}
      and subagents.id > ${after}
    order by subagents.id
    limit ${limit}
  `.execute(db)
  return rows
}
