import type { ArchiveFilters } from '@yardmaster/contract/archive/fields'
import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'
import { metadataText } from '../sessions/session.ts'

type FileTable = {
  id: Generated<number>
  session_id: number
  name: string
  head: string
  thread: string | null
  entry_count: Generated<number>
  text: string | null
  size_bytes: number
  sha256: string
  stored_at: Generated<Date>
  superseded_at: Date | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    archive_sessions: { session_id: number; version: string; stored_at: Generated<Date> }
    archive_files: FileTable
    archive_state: {
      is_only_row: Generated<boolean>
      generated_at: Generated<Date>
      session_count: number
      file_size_bytes: number
      deferred_count: number
      incomplete_reason: string | null
    }
  }
}

/** What a file is made of: `head`, then the text of the transcript, then the end of the object. */
export type FileSource = Pick<Selectable<FileTable>, 'session_id' | 'head' | 'thread' | 'entry_count' | 'text'>
export type StoredFile = FileSource & Pick<Selectable<FileTable>, 'name' | 'size_bytes' | 'sha256'>
/** A file as a list needs it, without its content. */
export type ListedFile = Pick<
  Selectable<FileTable>,
  'id' | 'session_id' | 'name' | 'size_bytes' | 'sha256' | 'stored_at'
>

/** Everything that changes a session's files changes this. */
const version = sql<string>`concat_ws(
  '/', extract(epoch from sessions.updated_at), threads.entry_count, subagents.count, subagents.changed
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
    select count(*) as count, extract(epoch from max(updated_at)) as changed
    from subagent_transcripts
    where session_id = sessions.id
  ) as subagents
`
const isSource = sql`
  sessions.summary_of_session_id is null
  and (threads.entry_count > 0 or subagents.count > 0)
`

/** The sessions that are not stored as they are now: first the new ones, then those that were tried the longest ago. */
export async function selectChanged(
  db: Database,
  { triedBefore, limit }: { triedBefore: string; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select sessions.id
    ${changed(triedBefore)}
    order by stored.stored_at nulls first, sessions.id
    limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

export async function countChanged(db: Database, { triedBefore }: { triedBefore: string }): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count
    ${changed(triedBefore)}
  `.execute(db)
  return rows[0]?.count ?? 0
}

function changed(triedBefore: string) {
  return sql`
    from ${sources}
    left join archive_sessions as stored on stored.session_id = sessions.id
    where ${isSource}
      and (stored.stored_at is null or stored.stored_at < ${triedBefore}::timestamptz)
      and stored.version is distinct from ${version}
  `
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
  version: string
  main_count: number
}

/** Undefined if the session is deleted or has no transcript any more. */
export async function selectArchivedSession(
  tx: Transaction,
  sessionId: number,
  mainThread: string,
): Promise<ArchivedSession | undefined> {
  const { rows } = await sql<ArchivedSession>`
    select
      sessions.id, title, slug, status, prompt, git_root, branch, sessions.created_at, sessions.updated_at, archived_at,
      goal, mcp_servers, ${version} as version,
      coalesce(
        (select entry_count from transcript_threads where session_id = sessions.id and thread = ${mainThread}), 0
      ) as main_count
    from ${sources}
    where sessions.id = ${sessionId}
      and ${isSource}
  `.execute(tx)
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
  entry_count: number
  text: string | null
}

export async function selectArchivedSubagents(tx: Transaction, sessionId: number): Promise<ArchivedSubagent[]> {
  const { rows } = await sql<ArchivedSubagent>`
    select
      subagents.id, agent_id, subagents.session_id, subagents.thread, status, description, subagent_type, tool_use_id,
      duration_ms, total_tokens, created_at, updated_at,
      coalesce(threads.entry_count, 0) as entry_count,
      (
        select string_agg(text, '' order by sequence)
        from subagent_transcript_pieces
        where subagent_transcript_id = subagents.id
      ) as text
    from subagent_transcripts as subagents
    left join transcript_threads as threads
      on threads.session_id = subagents.session_id and threads.thread = subagents.thread
    where subagents.session_id = ${sessionId}
    order by subagents.id
  `.execute(tx)
  return rows
}

/** False if the session is deleted. Later writers of the same session wait. */
export async function upsertArchivedSession(tx: Transaction, sessionId: number, stored: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into archive_sessions (session_id, version)
    select id, ${stored}
    from sessions
    where id = ${sessionId}
    for key share
    on conflict (session_id) do update
    set version = excluded.version, stored_at = now()
  `.execute(tx)
  return numAffectedRows === 1n
}

/** The session is tried again after all others. */
export async function recordFailure(db: Database, sessionId: number): Promise<void> {
  await sql`
    insert into archive_sessions (session_id, version)
    select id, ''
    from sessions
    where id = ${sessionId}
    for key share
    on conflict (session_id) do update
    set stored_at = now()
  `.execute(db)
}

/** By the database's clock, as exact as it is stored. */
export async function selectNow(db: Database): Promise<string> {
  const { rows } = await sql<{ now: string }>`select now()::text as now`.execute(db)
  return rows[0]?.now ?? 'now'
}

/** The file of this name and content stays. Any other file of the session is superseded. */
export async function supersedeFiles(
  tx: Transaction,
  sessionId: number,
  kept: readonly Pick<StoredFile, 'name' | 'sha256'>[],
): Promise<void> {
  await sql`
    update archive_files
    set superseded_at = now()
    where session_id = ${sessionId}
      and superseded_at is null
      and (name, sha256) not in (
        select *
        from unnest(${kept.map(({ name }) => name)}::text[], ${kept.map(({ sha256 }) => sha256)}::text[])
      )
  `.execute(tx)
}

export async function insertFiles(tx: Transaction, files: readonly StoredFile[]): Promise<void> {
  for (const file of files)
    await sql`
      insert into archive_files (session_id, name, head, thread, entry_count, text, size_bytes, sha256)
      values (
        ${file.session_id}, ${file.name}, ${file.head}, ${file.thread}, ${file.entry_count}, ${file.text},
        ${file.size_bytes}, ${file.sha256}
      )
      on conflict (session_id, name) where superseded_at is null do nothing
    `.execute(tx)
}

/** Sessions that have no transcript any more. */
export async function deleteEmptied(db: Database): Promise<void> {
  await sql`
    delete from archive_sessions
    using ${sources}
    where archive_sessions.session_id = sessions.id
      and not (${isSource})
  `.execute(db)
}

/** Files that a newer one replaced longer ago than any download takes. */
export function deleteSuperseded(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'archive_files', since: 'superseded_at' }, slice)
}

/** In the order of the zip: by session, and each session before its subagents. */
export async function selectFiles(db: Database, filters: Partial<ArchiveFilters> = {}): Promise<ListedFile[]> {
  const { agent_root: root, from, to } = filters
  const { rows } = await sql<ListedFile>`
    select files.id, files.session_id, files.name, files.size_bytes, files.sha256, files.stored_at
    from archive_files as files
    join sessions on sessions.id = files.session_id
    where superseded_at is null
      ${root === undefined || root === '' ? sql`` : sql`and ${metadataText('agent_root_key')} = ${root}`}
      ${from === undefined ? sql`` : sql`and sessions.created_at >= ${from}`}
      ${to === undefined ? sql`` : sql`and sessions.created_at < ${to}`}
    order by files.session_id, files.name collate "C"
  `.execute(db)
  return rows
}

export function selectFileSource(db: Database, id: number): Promise<FileSource | undefined> {
  return db
    .selectFrom('archive_files')
    .select(['session_id', 'head', 'thread', 'entry_count', 'text'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export type ArchiveState = {
  generated_at: Date
  session_count: number
  file_size_bytes: number
  deferred_count: number
  incomplete_reason: string | null
  /** By the database's clock. */
  age_seconds: number
  is_missing: boolean
}

/** Undefined before the first run has ended. */
export async function selectState(db: Database): Promise<ArchiveState | undefined> {
  const { rows } = await sql<ArchiveState>`
    select
      generated_at, session_count, file_size_bytes, deferred_count, incomplete_reason,
      extract(epoch from now() - generated_at)::float8 as age_seconds,
      session_count > 0 and not exists (select from archive_sessions where version <> '') as is_missing
    from archive_state
  `.execute(db)
  return rows[0]
}

export async function recordRun(
  db: Database,
  run: Pick<ArchiveState, 'session_count' | 'file_size_bytes' | 'deferred_count' | 'incomplete_reason'>,
): Promise<void> {
  await sql`
    insert into archive_state (session_count, file_size_bytes, deferred_count, incomplete_reason)
    values (${run.session_count}, ${run.file_size_bytes}, ${run.deferred_count}, ${run.incomplete_reason})
    on conflict (is_only_row) do update
    set generated_at = now(),
        session_count = excluded.session_count,
        file_size_bytes = excluded.file_size_bytes,
        deferred_count = excluded.deferred_count,
        incomplete_reason = excluded.incomplete_reason
  `.execute(db)
}
