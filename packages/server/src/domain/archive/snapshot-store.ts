import type { ArchiveFilters } from '@yardmaster/contract/archive/fields'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { metadataText } from '../sessions/session.ts'

/** The files of one generation that match the filters. They stay the same, unless a session is deleted. */
export type Snapshot = { generation: number; filters: Partial<ArchiveFilters> }

export type Summary = {
  files: number
  sessions: number
  /** Sums over all files and sessions: bytes of the names and contents, and digits of sizes and session ids. */
  name_bytes: number
  content_bytes: number
  size_digits: number
  id_digits: number
  /** When the newest file was stored. */
  newest: Date | null
  /** Differs for any other set of files. */
  ids: string
  checksums: string
}

/** Everything but the list of the files itself. */
export async function selectSummary(db: Database, snapshot: Snapshot): Promise<Summary> {
  const { rows } = await sql<Summary>`
    with by_session as (
      select
        files.session_id, count(*) as files, sum(octet_length(name)) as name_bytes, sum(size_bytes) as content_bytes,
        sum(length(size_bytes::text)) as size_digits, max(stored_at) as newest, sum(files.id) as ids,
        sum(('x' || left(sha256, 13))::bit(52)::bigint) as checksums
      ${filesOf(snapshot)}
      group by files.session_id
    )
    select
      coalesce(sum(files), 0)::bigint as files,
      count(*) as sessions,
      coalesce(sum(name_bytes), 0)::bigint as name_bytes,
      coalesce(sum(content_bytes), 0)::bigint as content_bytes,
      coalesce(sum(size_digits), 0)::bigint as size_digits,
      coalesce(sum(length(session_id::text)), 0)::bigint as id_digits,
      max(newest) as newest,
      sum(ids)::text as ids,
      sum(checksums)::text as checksums
    from by_session
  `.execute(db)
  const [summary] = rows
  if (!summary) throw new Error('an aggregate has one row')
  return summary
}

export type ListedFile = {
  id: number
  session_id: number
  name: string
  size_bytes: number
  crc32: number
  sha256: string
}

/** In the order of the zip: by session, and each session before its subagents. */
export async function selectFilePage(
  db: Database,
  snapshot: Snapshot,
  { after, limit }: { after: Pick<ListedFile, 'session_id' | 'name'> | undefined; limit: number },
): Promise<ListedFile[]> {
  const { rows } = await sql<ListedFile>`
    select files.id, files.session_id, files.name, files.size_bytes, files.crc32, files.sha256
    ${filesOf(snapshot)}
      ${after ? sql`and (files.session_id, files.name collate "C") > (${after.session_id}, ${after.name})` : sql``}
    order by files.session_id, files.name collate "C"
    limit ${limit}
  `.execute(db)
  return rows
}

/** In the order of their text, as the manifest has them. */
export async function selectSessionIdPage(
  db: Database,
  snapshot: Snapshot,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct files.session_id::text collate "C" as id
    ${filesOf(snapshot)}
      and files.session_id::text collate "C" > ${after}
    order by id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** The end of the statement is a condition. */
function filesOf({ generation, filters: { agent_root: root, from, to } }: Snapshot) {
  const hasRoot = root !== undefined && root !== ''
  const isFiltered = hasRoot || from !== undefined || to !== undefined
  return sql`
    from archive_files as files
    ${isFiltered ? sql`join sessions on sessions.id = files.session_id` : sql``}
    where from_generation <= ${generation}
      and (until_generation > ${generation} or (until_generation is null and superseded_at is null))
      ${hasRoot ? sql`and ${metadataText('agent_root_key')} = ${root}` : sql``}
      ${from === undefined ? sql`` : sql`and sessions.created_at >= ${from}`}
      ${to === undefined ? sql`` : sql`and sessions.created_at < ${to}`}
  `
}
