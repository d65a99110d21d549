import type { Page } from '@yardmaster/contract/paging'
import type { SubagentFilters, SubagentStatus } from '@yardmaster/contract/subagents/fields'
import { type Generated, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { type Paged, selectPage } from '../../platform/db/select-page.ts'

type SubagentTable = {
  id: Generated<number>
  session_id: number
  agent_id: string
  /** The thread whose entries are its transcript; null if callers send the text. */
  thread: string | null
  tool_use_id: string | null
  filename: string | null
  message_count: Generated<number>
  subagent_type: string | null
  description: string | null
  status: SubagentStatus | null
  duration_ms: number | null
  total_tokens: number | null
  tool_use_count: number | null
  text_length: number | null
  text_sha256: string | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    subagent_transcripts: SubagentTable
    subagent_transcript_pieces: { subagent_transcript_id: number; sequence: number; text: string }
  }
}

export type Subagent = Selectable<SubagentTable>
export type SubagentChanges = Omit<Updateable<SubagentTable>, 'id' | 'session_id' | 'created_at' | 'updated_at'>

export function selectSubagentPage(
  db: Database,
  sessionId: number,
  { status, subagent_type }: SubagentFilters,
  page: Page,
): Promise<Paged<Subagent>> {
  // Compared as text, so that an unknown status matches nothing.
  const matching = db
    .selectFrom('subagent_transcripts')
    .where('session_id', '=', sessionId)
    .$if(status !== undefined && status !== '', (query) => query.where(sql`status`, '=', status))
    .$if(subagent_type !== undefined && subagent_type !== '', (query) =>
      query.where('subagent_type', '=', subagent_type ?? null),
    )
  return selectPage(matching.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'), page)
}

export function selectSubagent(db: Database, sessionId: number, id: number): Promise<Subagent | undefined> {
  return db
    .selectFrom('subagent_transcripts')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export function selectSubagentForUpdate(tx: Transaction, sessionId: number, id: number): Promise<Subagent | undefined> {
  return tx
    .selectFrom('subagent_transcripts')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export function insertSubagent(tx: Transaction, values: Insertable<SubagentTable>): Promise<Subagent> {
  return tx.insertInto('subagent_transcripts').values(values).returningAll().executeTakeFirstOrThrow()
}

export function updateSubagent(tx: Transaction, id: number, changes: SubagentChanges): Promise<Subagent> {
  return tx
    .updateTable('subagent_transcripts')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteSubagent(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('subagent_transcripts').where('id', '=', id).execute()
}

export async function selectText(db: Database, id: number): Promise<string> {
  const { text } = await db
    .selectFrom('subagent_transcript_pieces')
    .select(sql<string | null>`string_agg(text, '' order by sequence)`.as('text'))
    .where('subagent_transcript_id', '=', id)
    .executeTakeFirstOrThrow()
  return text ?? ''
}

/** Requires the lock on the subagent's row. */
export async function appendPiece(tx: Transaction, id: number, text: string): Promise<void> {
  await sql`
    insert into subagent_transcript_pieces (subagent_transcript_id, sequence, text)
    select ${id}::bigint, coalesce(max(sequence), 0) + 1, ${text}::text
    from subagent_transcript_pieces
    where subagent_transcript_id = ${id}
  `.execute(tx)
}

export async function deletePieces(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('subagent_transcript_pieces').where('subagent_transcript_id', '=', id).execute()
}

export type ThreadGrowth = {
  sessionId: number
  thread: string
  filename: string
  facts: Pick<Subagent, 'subagent_type' | 'description' | 'tool_use_id'>
  tokens: number
  toolUses: number
}

/**
 * Creates or updates the subagent of a thread with new lines. Its status is `running` while a turn is executing, and
 * `completed` if the file is read after that. A row that a caller created with the same agent id is reused.
 */
export async function upsertThread(tx: Transaction, growth: ThreadGrowth): Promise<void> {
  const { sessionId, thread, filename, facts, tokens, toolUses } = growth
  await sql`
    with thread as (
      select entry_count
      from transcript_threads
      where session_id = ${sessionId}
        and thread = ${thread}
    ),
    turn_state as (
      select case
        when exists (select from turns where session_id = ${sessionId} and state = 'executing') then 'running'
        else 'completed'
      end as status
    ),
    known as (
      select coalesce(
        (select agent_id from subagent_transcripts where session_id = ${sessionId} and thread = ${thread}),
        ${thread}
      ) as agent_id
    ),
    upserted as (
      insert into subagent_transcripts as existing (
        session_id, agent_id, thread, filename, message_count,
        subagent_type, description, tool_use_id, status, total_tokens, tool_use_count
      )
      select
        ${sessionId}::bigint, known.agent_id, ${thread}, ${filename}, thread.entry_count,
        ${facts.subagent_type}, ${facts.description}, ${facts.tool_use_id}, turn_state.status,
        ${tokens}::bigint, ${toolUses}::bigint
      from thread, turn_state, known
      on conflict on constraint subagent_transcripts_agent_key do update
      set thread = excluded.thread,
          filename = excluded.filename,
          message_count = excluded.message_count,
          subagent_type = coalesce(excluded.subagent_type, existing.subagent_type),
          description = coalesce(excluded.description, existing.description),
          tool_use_id = coalesce(excluded.tool_use_id, existing.tool_use_id),
          status = excluded.status,
          total_tokens = coalesce(existing.total_tokens, 0) + excluded.total_tokens,
          tool_use_count = coalesce(existing.tool_use_count, 0) + excluded.tool_use_count,
          text_length = null,
          text_sha256 = null,
          updated_at = now()
      returning id
    )
    delete from subagent_transcript_pieces
    using upserted
    where subagent_transcript_id = upserted.id
  `.execute(tx)
}

/** Ends the running subagents of a turn that has ended. */
export async function endRunningSubagents(
  tx: Transaction,
  sessionId: number,
  status: 'completed' | 'failed',
): Promise<void> {
  await tx
    .updateTable('subagent_transcripts')
    .set({ status, updated_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('thread', 'is not', null)
    .where('status', '=', 'running')
    .execute()
}
