import { type Generated, type Selectable, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'

/** A staged file has no generation yet. It counts as superseded, so that one that a crash left behind is deleted with those. */
type FileTable = {
  id: Generated<number>
  session_id: number
  name: string
  version: string | null
  head: string
  thread: string | null
  entry_count: Generated<number>
  marks: Generated<number[]>
  size_bytes: number
  crc32: number | null
  sha256: string
  stored_at: Generated<Date>
  superseded_at: Date | null
  from_generation: number | null
  until_generation: number | null
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    archive_sessions: { session_id: number; version: string; stored_at: Generated<Date> }
    archive_files: FileTable
    archive_texts: { file_id: number; sequence: number; text: string }
    archive_progress: {
      is_only_row: Generated<boolean>
      generation: Generated<number>
      scanned_through: Generated<number>
    }
  }
}

/** What a file is made of: `head`, then the entries of a thread or the pieces of a text, then the end of the object. */
export type FileSource = Pick<Selectable<FileTable>, 'id' | 'session_id' | 'head' | 'thread' | 'entry_count' | 'marks'>
export type FileMeasures = Pick<Selectable<FileTable>, 'size_bytes' | 'sha256' | 'marks'> & { crc32: number }
export type NewFile = Pick<Selectable<FileTable>, 'session_id' | 'name' | 'version' | 'head' | 'thread' | 'entry_count'>
export type LiveFile = Pick<Selectable<FileTable>, 'id' | 'name' | 'version' | 'sha256'>

/** Files refer to this row. Returns when the session was last stored; undefined if the session is deleted. */
export async function ensureArchivedSession(db: Database, sessionId: number): Promise<string | undefined> {
  const { rows } = await sql<{ stored_at: string }>`
    insert into archive_sessions (session_id, version)
    select id, ''
    from sessions
    where id = ${sessionId}
    for key share
    on conflict (session_id) do update
    set version = archive_sessions.version
    returning stored_at::text
  `.execute(db)
  return rows[0]?.stored_at
}

export function selectLiveFiles(db: Database, sessionId: number): Promise<LiveFile[]> {
  return db
    .selectFrom('archive_files')
    .select(['id', 'name', 'version', 'sha256'])
    .where('session_id', '=', sessionId)
    .where('superseded_at', 'is', null)
    .where('from_generation', 'is not', null)
    .execute()
}

/** `textOf`: the subagent whose text is copied in the same transaction, for a file without a thread. */
export async function stageFile(tx: Transaction, file: NewFile, textOf: number | undefined): Promise<FileSource> {
  const staged = await tx
    .insertInto('archive_files')
    .values({ ...file, size_bytes: 0, sha256: '', superseded_at: sql<Date>`now()` })
    .returning(['id', 'session_id', 'head', 'thread', 'entry_count', 'marks'])
    .executeTakeFirstOrThrow()
  if (textOf === undefined) return staged
  return { ...staged, entry_count: await copyText(tx, staged.id, textOf) }
}

const textBytes = 256 * 1024

/** The database copies the text. Small pieces are joined: a text may have grown by a line at a time. */
async function copyText(tx: Transaction, fileId: number, subagentId: number): Promise<number> {
  const { rows } = await sql<{ entry_count: number }>`
    with measured as (
      select sequence, text, sum(octet_length(text)) over (order by sequence) / ${textBytes}::int as place
      from subagent_transcript_pieces
      where subagent_transcript_id = ${subagentId}
    ),
    joined as (
      select row_number() over (order by div(place, 1)) as sequence, string_agg(text, '' order by sequence) as text
      from measured
      group by div(place, 1)
    ),
    copied as (
      insert into archive_texts (file_id, sequence, text)
      select ${fileId}::bigint, sequence, text
      from joined
      returning sequence
    )
    update archive_files
    set entry_count = (select count(*) from copied)
    where id = ${fileId}
    returning entry_count
  `.execute(tx)
  return rows[0]?.entry_count ?? 0
}

/** A piece of a text as the bytes of a part of a JSON string; undefined at the end. As `findEscapedLines`. */
export async function selectEscapedText(
  db: Database,
  fileId: number,
  after: number,
): Promise<{ last: number; bytes: Buffer } | undefined> {
  const { rows } = await sql<{ last: number; text: string }>`
    select sequence as last, left(substr(to_json(text)::text, 2), -1) as text
    from archive_texts
    where file_id = ${fileId}
      and sequence = ${after}::int + 1
  `.execute(db)
  const [found] = rows
  if (!found) return undefined
  const bytes = Buffer.from(found.text)
  found.text = ''
  return { last: found.last, bytes }
}

export async function updateMeasures(db: Database, id: number, measures: FileMeasures): Promise<void> {
  await db.updateTable('archive_files').set(measures).where('id', '=', id).execute()
}

/** The live file has the same content after all. */
export async function discardStaged(db: Database, stagedId: number, live: LiveFile, version: string): Promise<void> {
  await db.updateTable('archive_files').set({ version }).where('id', '=', live.id).execute()
  await db.deleteFrom('archive_files').where('id', '=', stagedId).execute()
}

type Publication = { sessionId: number; version: string; files: readonly number[]; storedBefore: string }

/**
 * Makes these files, staged or live, the session's files, in a new generation if that changes anything. Others that a
 * download may have begun with are superseded. Does nothing if the session was deleted, or stored by another run meanwhile:
 * live files may have been superseded by that.
 */
export async function publishFiles(
  tx: Transaction,
  { sessionId, version, files, storedBefore }: Publication,
): Promise<void> {
  const { numAffectedRows: stored } = await sql`
    update archive_sessions
    set version = ${version}, stored_at = now()
    where session_id = ${sessionId}
      and stored_at = ${storedBefore}::timestamptz
  `.execute(tx)
  const chosen = sql`id = any(${files}::bigint[])`
  if (stored === 0n) {
    await sql`delete from archive_files where from_generation is null and ${chosen}`.execute(tx)
    return
  }
  const { rows } = await sql<{ is_changed: boolean }>`
    select exists (
      select
      from archive_files
      where session_id = ${sessionId}
        and (superseded_at is null) is distinct from ${chosen}
    ) as is_changed
  `.execute(tx)
  if (rows[0]?.is_changed !== true) return
  const generation = await nextGeneration(tx)
  await sql`
    update archive_files
    set superseded_at = now(), until_generation = ${generation}
    where session_id = ${sessionId}
      and superseded_at is null
      and not (${chosen})
  `.execute(tx)
  await sql`
    update archive_files
    set superseded_at = null, from_generation = ${generation}
    where session_id = ${sessionId}
      and from_generation is null
      and ${chosen}
  `.execute(tx)
  await deleteUnneeded(tx, sessionId)
}

/** The row lock is held until the commit, so that generations appear in their order. */
async function nextGeneration(tx: Transaction): Promise<number> {
  const { generation } = await tx
    .updateTable('archive_progress')
    .set({ generation: sql<number>`generation + 1` })
    .returning('generation')
    .executeTakeFirstOrThrow()
  return generation
}

/** Files of no generation: of a release before there were any, and of runs that ended too long ago to be still under way. */
async function deleteUnneeded(tx: Transaction, sessionId: number): Promise<void> {
  await sql`
    delete from archive_files
    where session_id = ${sessionId}
      and from_generation is null
      and stored_at < now() - interval '1 day'
  `.execute(tx)
}

/** Files that a newer one replaced longer ago than any download takes. */
export function deleteSuperseded(db: Database, slice: Slice): Promise<number> {
  return deleteOld(db, { table: 'archive_files', since: 'superseded_at' }, slice)
}

export function selectFileSource(db: Database, id: number): Promise<FileSource | undefined> {
  return db
    .selectFrom('archive_files')
    .select(['id', 'session_id', 'head', 'thread', 'entry_count', 'marks'])
    .where('id', '=', id)
    .executeTakeFirst()
}
