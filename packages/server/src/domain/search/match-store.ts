import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import { holds } from './chunk-store.ts'
import type { Phrase } from './phrase.ts'
import { planned } from './planned-store.ts'

/** `sequence` is null where a chunk of an older version does not say which entries it holds. */
export type FoundLine = { session_id: number; sequence: number | null; line: string | null }

/** Bounds the memory of an answer: a single line can have megabytes. */
const maxLineBytes = 1024 * 1024
const maxBytes = 8 * 1024 * 1024

/** The entries of the latest chunks with the phrase, of each session. Some of the entries do not have it. */
export function selectFoundLines(
  db: Database,
  phrase: Phrase,
  { sessionIds, chunks, timeoutMs }: { sessionIds: readonly number[]; chunks: number; timeoutMs: number },
): Promise<FoundLine[]> {
  const query = sql<FoundLine>`
    with found as (
      select asked.session_id, asked.place, chunk.first_entry, chunk.further
      from unnest(${sessionIds}::bigint[]) with ordinality as asked (session_id, place)
      cross join lateral (
        select first_entry, length(text) - length(replace(text, E'\\n', '')) as further
        from search_chunks
        where search_chunks.session_id = asked.session_id
          and (${holds(phrase)})
        order by number desc
        limit ${chunks}
      ) as chunk
    ),
    lines as (
      select found.session_id, entry.sequence, entry.line,
        sum(octet_length(entry.line)) over (order by found.place, entry.sequence) as bytes
      from found
      left join transcript_entries as entry
        on entry.session_id = found.session_id
        and entry.thread = ${mainThread}
        and entry.sequence between found.first_entry and found.first_entry + found.further
        and octet_length(entry.line) <= ${maxLineBytes}
    )
    select session_id, sequence, line
    from lines
    where sequence is null or bytes <= ${maxBytes}
  `
  // Session by session: of few sessions, all chunks are read sooner than the index.
  const settings = [
    `statement_timeout = ${Math.max(1, Math.ceil(timeoutMs))}`,
    'enable_seqscan = off',
    'enable_bitmapscan = off',
  ]
  return planned(db, settings, query)
}
