import { type RawBuilder, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { textArray } from '../../platform/db/text-array.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import { findLines } from '../transcripts/transcript.ts'
import type { Phrase } from './phrase.ts'
import { planned } from './planned-store.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    search_threads: { session_id: number; indexed_count: number; chunk_count: number }
    search_chunks: {
      session_id: number
      number: number
      session_created_at: Date
      text: string
      /** The entry that its first line is, or is a piece of. Null in chunks of older versions. */
      first_entry: number | null
    }
  }
}

export type IndexedThread = { indexed_count: number; chunk_count: number; entry_count: number }

/** How far a conversation is indexed and how long it is; undefined when the session is deleted. Blocks its deletion. */
export async function selectThread(tx: Transaction, sessionId: number): Promise<IndexedThread | undefined> {
  const { rows } = await sql<IndexedThread>`
    select
      coalesce(indexed.indexed_count, 0) as indexed_count,
      coalesce(indexed.chunk_count, 0) as chunk_count,
      coalesce(threads.entry_count, 0) as entry_count
    from sessions
    left join search_threads as indexed on indexed.session_id = sessions.id
    left join transcript_threads as threads on threads.session_id = sessions.id and threads.thread = ${mainThread}
    where sessions.id = ${sessionId}
    for key share of sessions
  `.execute(tx)
  return rows[0]
}

/** The next lines of the main thread, which is the one that is searched. */
export function selectLinesAfter(
  db: Database | Transaction,
  sessionId: number,
  { after, maxBytes }: { after: number; maxBytes: number },
): Promise<{ sequence: number; line: string }[]> {
  return findLines(db, { sessionId, thread: mainThread }, { after, limit: 1000, maxBytes })
}

export type NewChunk = { text: string; firstEntry: number }

export async function insertChunks(
  tx: Transaction,
  sessionId: number,
  { from, chunks, indexedCount }: { from: number; chunks: readonly NewChunk[]; indexedCount: number },
): Promise<void> {
  await sql`
    insert into search_chunks (session_id, number, session_created_at, text, first_entry)
    select sessions.id, ${from}::int + added.place - 1, sessions.created_at, added.text, added.first_entry
    from unnest(${textArray(chunks.map(({ text }) => text))}, ${chunks.map(({ firstEntry }) => firstEntry)}::int[])
      with ordinality as added (text, first_entry, place)
    join sessions on sessions.id = ${sessionId}
  `.execute(tx)
  await sql`
    insert into search_threads (session_id, indexed_count, chunk_count)
    values (${sessionId}, ${indexedCount}, ${from + chunks.length})
    on conflict (session_id) do update
    set indexed_count = excluded.indexed_count, chunk_count = excluded.chunk_count
  `.execute(tx)
}

/** Merges the GIN index's pending list, which every search would otherwise scan. */
export async function mergePendingChunks(db: Database): Promise<void> {
  await sql`select gin_clean_pending_list('search_chunks_by_text')`.execute(db)
}

/** Sessions with unindexed entries, and the last entry of each that is indexed. */
export async function selectTails(db: Database): Promise<Map<number, number>> {
  const { rows } = await sql<{ session_id: number; indexed_count: number }>`
    select marked.session_id, coalesce(indexed.indexed_count, 0) as indexed_count
    from (select distinct session_id from search_marks where about = 'transcript') as marked
    left join search_threads as indexed on indexed.session_id = marked.session_id
  `.execute(db)
  return new Map(rows.map(({ session_id, indexed_count }) => [session_id, indexed_count]))
}

export type Sample = { chunks: number; reads: number; holders: number[] }

/** One chunk of each session, at varying places, to estimate how common the phrase is. */
export async function selectSample(db: Database, sessionIds: readonly number[], phrase: Phrase): Promise<Sample> {
  const { rows } = await sql<{ session_id: number; chunk_count: number; is_hit: boolean }>`
    select asked.session_id, threads.chunk_count, (${holds(phrase)}) as is_hit
    from unnest(${sessionIds}::bigint[]) with ordinality as asked (session_id, place)
    join search_threads as threads on threads.session_id = asked.session_id and threads.chunk_count > 0
    join search_chunks
      on search_chunks.session_id = asked.session_id
      and search_chunks.number = (asked.place * 7) % threads.chunk_count
  `.execute(db)
  return {
    chunks: rows.reduce((sum, { chunk_count }) => sum + chunk_count, 0),
    reads: rows.length,
    holders: rows.filter(({ is_hit }) => is_hit).map(({ session_id }) => session_id),
  }
}

/** A session that contains the phrase, and how many of its chunks are known to contain it. */
export type Holder = { session_id: number; chunks: number }

export type Step = {
  /** Newest first. */
  sessions: readonly { id: number; createdAtMicros: number }[]
  /** True: query the index over everything of that age. False: read session by session until the first match. */
  isByIndex: boolean
  timeoutMs: number
}

/**
 * The sessions of a step that have a chunk with the phrase. The planner does not know the cost of decompressing a text, so
 * the caller chooses the plan. On 50 MB the index cost 2 ms plus 30 us per chunk read; session by session cost 30 us per
 * chunk until the first match.
 */
export function selectHolders(db: Database, phrase: Phrase, step: Step): Promise<Holder[]> {
  return runPlanned(db, step.isByIndex ? byIndex(phrase, step) : oneByOne(phrase, step), step)
}

/** Every session with the phrase; undefined when more than `maxChunks` chunks contain it. */
export async function selectRareHolders(
  db: Database,
  phrase: Phrase,
  { maxChunks, timeoutMs }: { maxChunks: number; timeoutMs: number },
): Promise<Holder[] | undefined> {
  const query = sql<Holder>`
    select session_id, count(*) as chunks
    from (
      select session_id
      from search_chunks
      where ${holds(phrase)}
      limit ${maxChunks + 1}
    ) as found
    group by session_id
  `
  const holders = await runPlanned(db, query, { isByIndex: true, timeoutMs })
  return holders.reduce((sum, { chunks }) => sum + chunks, 0) > maxChunks ? undefined : holders
}

function runPlanned(
  db: Database,
  query: RawBuilder<Holder>,
  { isByIndex, timeoutMs }: Pick<Step, 'isByIndex' | 'timeoutMs'>,
): Promise<Holder[]> {
  const settings = [
    `statement_timeout = ${Math.max(1, Math.ceil(timeoutMs))}`,
    'enable_seqscan = off',
    `enable_bitmapscan = ${isByIndex ? 'on' : 'off'}`,
  ]
  return planned(db, settings, query)
}

function byIndex(phrase: Phrase, { sessions }: Step) {
  return sql<Holder>`
    select session_id, count(*) as chunks
    from search_chunks
    where session_created_at between ${timeOf(sessions.at(-1))} and ${timeOf(sessions[0])}
      and (${holds(phrase)})
    group by session_id
  `
}

function oneByOne(phrase: Phrase, { sessions }: Step) {
  return sql<Holder>`
    select asked.session_id, 1 as chunks
    from unnest(${sessions.map(({ id }) => id)}::bigint[]) as asked (session_id)
    cross join lateral (
      select
      from search_chunks
      where search_chunks.session_id = asked.session_id
        and (${holds(phrase)})
      limit 1
    ) as found
  `
}

function timeOf(session: Step['sessions'][number] | undefined) {
  return sql`timestamptz 'epoch' + ${session?.createdAtMicros ?? 0}::bigint * interval '1 microsecond'`
}

/** The index evaluates the pattern; the rest of a long phrase is compared literally. */
export function holds({ spellings, isWithinChunks }: Phrase) {
  return sql.join(
    spellings.map(({ text, pattern, isWhole }) =>
      isWhole || !isWithinChunks
        ? sql`search_chunks.text like ${pattern}`
        : sql`(search_chunks.text like ${pattern} and strpos(search_chunks.text, ${text}) > 0)`,
    ),
    sql` or `,
  )
}
