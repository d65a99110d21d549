import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { Phrase } from './phrase.ts'
import { planned } from './planned-store.ts'

declare module '../../platform/db/tables.ts' {
  interface Tables {
    search_documents: { session_id: number; text: string }
  }
}

export type Document = { session_id: number; fields: string[] }

/** The text that the default search reads, in its current state: the title, and JSON as the database writes it. */
export async function selectCurrentDocuments(
  db: Database | Transaction,
  sessionIds: readonly number[],
  { isLocked = false } = {},
): Promise<Document[]> {
  const { rows } = await sql<Document>`
    select id as session_id, array[coalesce(title, ''), metadata::text, custom_metadata::text] as fields
    from sessions
    where id = any(${sessionIds}::bigint[])
    ${isLocked ? sql`order by id for key share` : sql``}
  `.execute(db)
  return rows
}

export async function selectMarkedDocumentIds(db: Database): Promise<number[]> {
  const rows = await db
    .selectFrom('search_marks')
    .select('session_id')
    .distinct()
    .where('about', '=', 'document')
    .execute()
  return rows.map(({ session_id }) => session_id)
}

/** Leaves unchanged documents alone, which avoids index writes. */
export async function upsertDocuments(
  tx: Transaction,
  documents: readonly { session_id: number; text: string }[],
): Promise<void> {
  await sql`
    insert into search_documents (session_id, text)
    select *
    from unnest(
      ${documents.map(({ session_id }) => session_id)}::bigint[],
      ${documents.map(({ text }) => text)}::text[]
    )
    on conflict (session_id) do update
    set text = excluded.text
    where search_documents.text <> excluded.text
  `.execute(tx)
}

export async function mergePendingDocuments(db: Database): Promise<void> {
  await sql`select gin_clean_pending_list('search_documents_by_text')`.execute(db)
}

/** The given sessions whose document contains the phrase. */
export async function selectDocumentHolders(
  db: Database,
  phrase: Phrase,
  sessionIds: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ session_id: number }>`
    select session_id
    from search_documents
    where session_id = any(${sessionIds}::bigint[])
      and (${holds(phrase)})
  `.execute(db)
  return rows.map(({ session_id }) => session_id)
}

/** The most documents a search reads before it changes its plan. */
const rareDocuments = 300

/**
 * Sessions whose document contains the phrase, if one word of it is rare; otherwise undefined. Titles often share a prefix,
 * whose trigrams have long posting lists: looking up one rare word costs a fraction of that.
 */
export async function selectHoldersByWord(db: Database, { spellings }: Phrase): Promise<number[] | undefined> {
  const words = spellings.flatMap(({ word }) => word ?? [])
  if (words.length < spellings.length) return undefined
  const isHit = sql.join(
    spellings.map(({ text }) => sql`strpos(text, ${text}) > 0`),
    sql` or `,
  )
  const query = sql<{ session_id: number; is_hit: boolean }>`
    select session_id, (${isHit}) as is_hit
    from search_documents
    where text like any(${words}::text[])
    limit ${rareDocuments + 1}
  `
  const rows = await planned(db, ['enable_seqscan = off'], query)
  return rows.length > rareDocuments
    ? undefined
    : rows.filter(({ is_hit }) => is_hit).map(({ session_id }) => session_id)
}

/**
 * A condition on sessions: by the indexed document, except for changed sessions, which were compared directly. An array
 * instead of a join keeps the planner from scanning all sessions for the first page of a rare phrase.
 */
export function isFound(
  phrase: Phrase,
  {
    changed,
    found,
    known,
  }: { changed: readonly number[]; found: readonly number[]; known: readonly number[] | undefined },
): RawBuilder<SqlBool> {
  if (known) {
    const isChanged = new Set(changed)
    return sql<SqlBool>`sessions.id = any(${[...known.filter((id) => !isChanged.has(id)), ...found]}::bigint[])`
  }
  return sql<SqlBool>`sessions.id = any(
    array(
      select session_id
      from search_documents
      where (${holds(phrase)})
        and session_id <> all(${changed}::bigint[])
    ) || ${found}::bigint[]
  )`
}

function holds({ spellings }: Phrase) {
  return sql.join(
    spellings.map(({ text, pattern, isWhole }) =>
      isWhole
        ? sql`search_documents.text like ${pattern}`
        : sql`(search_documents.text like ${pattern} and strpos(search_documents.text, ${text}) > 0)`,
    ),
    sql` or `,
  )
}
