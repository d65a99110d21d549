import type { SubagentStatus } from '@yardmaster/contract/subagents/fields'
import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import type { ThreadKey } from './transcript-store.ts'

export type EntryRow = { sequence: number; line: string; created_at: Date }

/** Sequences are 32-bit. */
export const lastSequence = 2 ** 31 - 1

/** Bounds the memory of a page: a single line can have megabytes. */
const pageBytes = 4 * 1024 * 1024

type Stretch = { after: number; limit: number } | { before: number; limit: number }

/** The lines next to a place within both limits, but at least one, in order. Reads no other rows. */
export async function selectEntries(
  db: Database,
  { sessionId, thread }: ThreadKey,
  stretch: Stretch,
): Promise<EntryRow[]> {
  const order = 'after' in stretch ? sql`sequence` : sql`sequence desc`
  const beyond = 'after' in stretch ? sql`sequence > ${stretch.after}` : sql`sequence < ${stretch.before}`
  const { rows } = await sql<EntryRow>`
    with next as (
      select sequence, line, created_at
      from transcript_entries
      where session_id = ${sessionId}
        and thread = ${thread}
        and ${beyond}
      order by ${order}
      limit ${stretch.limit}
    ),
    measured as (
      select *, sum(octet_length(line)) over (order by ${order}) as bytes, row_number() over (order by ${order}) as place
      from next
    )
    select sequence, line, created_at
    from measured
    where bytes <= ${pageBytes} or place = 1
    order by sequence
  `.execute(db)
  return rows
}

export type TurnSpan = { number: number; dispatched_at: Date; ended_at: Date | null }

/** The turns that were underway between two times. */
export function selectTurnSpans(
  db: Database,
  sessionId: number,
  { from, to }: { from: Date; to: Date },
): Promise<TurnSpan[]> {
  return db
    .selectFrom('turns')
    .select(['sequence as number', 'dispatched_at', 'ended_at'])
    .where('session_id', '=', sessionId)
    .where('dispatched_at', '<=', to)
    .where((where) => where.or([where('ended_at', 'is', null), where('ended_at', '>=', from)]))
    .orderBy('sequence')
    .$narrowType<{ dispatched_at: Date }>()
    .execute()
}

export type StartedSubagent = {
  id: number
  thread: string | null
  tool_use_id: string
  description: string | null
  subagent_type: string | null
  status: SubagentStatus | null
}

/** The subagents that these tool calls started. */
export async function selectStartedSubagents(
  db: Database,
  sessionId: number,
  toolUseIds: readonly string[],
): Promise<StartedSubagent[]> {
  if (toolUseIds.length === 0) return []
  const { rows } = await sql<StartedSubagent>`
    select id, thread, tool_use_id, description, subagent_type, status
    from subagent_transcripts
    where session_id = ${sessionId}
      and tool_use_id = any (${toolUseIds}::text[])
    order by id desc
  `.execute(db)
  return rows
}

/**
 * For each span of time the sequence of the first entry that was stored in it; undefined if there is none. Entries are stored in
 * the order of time, so each is found by halving the thread.
 */
export async function findFirstEntries(
  db: Database,
  { sessionId, thread }: ThreadKey,
  spans: readonly { from: Date; to: Date | null }[],
): Promise<(number | undefined)[]> {
  if (spans.length === 0) return []
  const { rows } = await sql<{ sequence: number | null }>`
    with recursive span as (
      select place, begins, ends
      from unnest(
        ${spans.map(({ from }) => from)}::timestamptz[],
        ${spans.map(({ to }) => to)}::timestamptz[]
      ) with ordinality as asked (begins, ends, place)
    ),
    halving (place, begins, low, high) as (
      select span.place, span.begins, 1, threads.entry_count + 1
      from span
      join transcript_threads as threads on threads.session_id = ${sessionId} and threads.thread = ${thread}
      union all
      select halving.place, halving.begins,
        case when middle.created_at < halving.begins then middle.sequence + 1 else halving.low end,
        case when middle.created_at < halving.begins then halving.high else middle.sequence end
      from halving
      join transcript_entries as middle
        on middle.session_id = ${sessionId}
        and middle.thread = ${thread}
        and middle.sequence = (halving.low + halving.high) / 2
      where halving.low < halving.high
    )
    select entry.sequence
    from span
    left join halving as found on found.place = span.place and found.low = found.high
    left join transcript_entries as entry
      on entry.session_id = ${sessionId}
      and entry.thread = ${thread}
      and entry.sequence = found.low
      and (span.ends is null or entry.created_at <= span.ends)
    order by span.place
  `.execute(db)
  return rows.map(({ sequence }) => sequence ?? undefined)
}
