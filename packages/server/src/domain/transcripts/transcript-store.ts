import { type Generated, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { textArray } from '../../platform/db/text-array.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    transcript_threads: {
      session_id: number
      thread: string
      read_bytes: Generated<number>
      entry_count: Generated<number>
      /** Null for a thread without entries. */
      last_entry_at: Date | null
      /** The last line of what its agent said last, cut short. */
      last_said: string | null
    }
    transcript_entries: {
      session_id: number
      thread: string
      sequence: number
      line: string
      created_at: Generated<Date>
    }
  }
}

export type ThreadKey = { sessionId: number; thread: string }
export type ThreadProgress = { read_bytes: number; entry_count: number }

/** Creates the thread if it is new and locks its row, so that one reader at a time appends entries. */
export async function lockThread(tx: Transaction, { sessionId, thread }: ThreadKey): Promise<ThreadProgress> {
  await tx
    .insertInto('transcript_threads')
    .values({ session_id: sessionId, thread })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tx
    .selectFrom('transcript_threads')
    .select(['read_bytes', 'entry_count'])
    .where('session_id', '=', sessionId)
    .where('thread', '=', thread)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function findProgress(
  db: Database | Transaction,
  { sessionId, thread }: ThreadKey,
): Promise<ThreadProgress> {
  const row = await db
    .selectFrom('transcript_threads')
    .select(['read_bytes', 'entry_count'])
    .where('session_id', '=', sessionId)
    .where('thread', '=', thread)
    .executeTakeFirst()
  return row ?? { read_bytes: 0, entry_count: 0 }
}

/** `after`: the sequence of the last entry before them. */
export type NewEntries = { after: number; lines: readonly string[]; readBytes: number }

/** One insert for any number of lines; the cost does not depend on the length of the transcript. */
export async function insertEntries(
  tx: Transaction,
  { sessionId, thread }: ThreadKey,
  { after, lines, readBytes, said }: NewEntries & { said: string | undefined },
): Promise<void> {
  await sql`
    insert into transcript_entries (session_id, thread, sequence, line)
    select ${sessionId}::bigint, ${thread}::text, ${after}::int + added.ordinality, added.line
    from unnest(${textArray(lines)}) with ordinality as added (line, ordinality)
  `.execute(tx)
  await tx
    .updateTable('transcript_threads')
    .set({
      read_bytes: readBytes,
      entry_count: after + lines.length,
      ...(lines.length > 0 && { last_entry_at: sql<Date>`now()` }),
      ...(said !== undefined && { last_said: said }),
    })
    .where('session_id', '=', sessionId)
    .where('thread', '=', thread)
    .execute()
}

/** Bounds the memory of a batch: a single line can have megabytes. */
const batchBytes = 4 * 1024 * 1024

type Batch = { after: number; limit: number; maxBytes?: number }

/** The next lines within both limits, but at least one. */
export async function findLines(
  db: Database | Transaction,
  key: ThreadKey,
  batch: Batch,
): Promise<{ sequence: number; line: string }[]> {
  const { rows } = await sql<{ sequence: number; line: string }>`
    ${nextLines(key, batch)}
    select sequence, line
    from chosen
    order by sequence
  `.execute(db)
  return rows
}

/**
 * As `findLines`, but all of them as the bytes of a part of a JSON string, each with a line end; undefined at the end. For
 * readers of gigabytes: the database escapes and joins the lines, and the text is removed from the row. The driver's results
 * refer to each other, so that texts would stay in memory long after they were read: 100 MB instead of 15 MB.
 */
export async function findEscapedLines(
  db: Database,
  key: ThreadKey,
  batch: Batch,
): Promise<{ last: number; bytes: Buffer } | undefined> {
  const { rows } = await sql<{ last: number | null; text: string }>`
    ${nextLines(key, batch)}
    select max(sequence) as last, left(substr(to_json(string_agg(line || E'\\n', '' order by sequence))::text, 2), -1) as text
    from chosen
  `.execute(db)
  const [found] = rows
  if (!found || found.last === null) return undefined
  const bytes = Buffer.from(found.text)
  found.text = ''
  return { last: found.last, bytes }
}

/** PostgreSQL knows the lengths of the lines without reading the text. */
function nextLines({ sessionId, thread }: ThreadKey, { after, limit, maxBytes = batchBytes }: Batch) {
  return sql`
    with next as (
      select sequence, line
      from transcript_entries
      where session_id = ${sessionId}
        and thread = ${thread}
        and sequence > ${after}
      order by sequence
      limit ${limit}
    ),
    measured as (
      select sequence, line, sum(octet_length(line)) over (order by sequence) as bytes, row_number() over (order by sequence) as place
      from next
    ),
    chosen as (
      select sequence, line
      from measured
      where bytes <= ${maxBytes} or place = 1
    )
  `
}

/** The lines up to and including sequence `last`, in descending order. */
export function selectLastLines(
  db: Database,
  { sessionId, thread }: ThreadKey,
  { last, limit }: { last: number; limit: number },
): Promise<{ sequence: number; line: string }[]> {
  return db
    .selectFrom('transcript_entries')
    .select(['sequence', 'line'])
    .where('session_id', '=', sessionId)
    .where('thread', '=', thread)
    .where('sequence', '<=', last)
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
}

/** For a file that was rewritten from the rows: reading continues after the lines that are already stored. */
export async function updateReadBytes(
  tx: Transaction,
  { sessionId, thread }: ThreadKey,
  readBytes: number,
): Promise<void> {
  await tx
    .updateTable('transcript_threads')
    .set({ read_bytes: readBytes })
    .where('session_id', '=', sessionId)
    .where('thread', '=', thread)
    .execute()
}
