import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { deleteOld } from '../../platform/db/delete-old.ts'
import type { Tables } from '../../platform/db/tables.ts'
import type { Slice } from '../../platform/jobs/pruning.ts'
import { traceparent } from '../../platform/tracing/traceparent.ts'
import { keepNamed } from '../attachments/attachment.ts'
import type { TurnSource, Withdrawal } from './turn-table.ts'

export type Turn = Selectable<Tables['turns']>

export type NewTurn = {
  sessionId: number
  source: TurnSource
  /** Blank for a turn that only prepares the clone. */
  prompt: string
  goal: string | null
  messageId?: number | null
  triggerId?: number | null
  /** Whether a person sent it. */
  isByPerson?: boolean
  /** Default: that of the span underway. */
  traceparent?: string | null | undefined
}

/** Requires the session's row lock, which makes the sequence the order of acceptance. */
export async function insertTurn(tx: Transaction, turn: NewTurn): Promise<string> {
  await keepNamed(tx, turn.sessionId, [turn.prompt])
  const { id } = await tx
    .insertInto('turns')
    .values({
      session_id: turn.sessionId,
      source: turn.source,
      prompt: turn.prompt,
      goal: turn.goal,
      message_id: turn.messageId ?? null,
      trigger_id: turn.triggerId ?? null,
      is_by_person: turn.isByPerson ?? false,
      traceparent: turn.traceparent === undefined ? traceparent() : turn.traceparent,
      sequence: sql<number>`(select coalesce(max(sequence), 0) + 1 from turns where session_id = ${turn.sessionId})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** A person has taken charge of what is queued. */
export async function markByPerson(tx: Transaction, sessionId: number): Promise<void> {
  await tx
    .updateTable('turns')
    .set({ is_by_person: true })
    .where('session_id', '=', sessionId)
    .where((where) => where.or([where('state', '=', 'queued'), where('withdrawn_by', '=', 'restart')]))
    .where('state', '!=', 'ended')
    .execute()
}

/** The turns of a session that have not ended. */
export type Standing = {
  /** The dispatched or executing turn, unless it was withdrawn. */
  underway: Turn | undefined
  /** True if a turn was withdrawn and its agent has not stopped yet. */
  isStopping: boolean
  hasQueued: boolean
}

/** Requires the session's row lock, so that the result holds until the transaction ends. */
export async function findStanding(tx: Transaction, sessionId: number): Promise<Standing> {
  const turns = await tx
    .selectFrom('turns')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('state', '!=', 'ended')
    .execute()
  return {
    underway: turns.find(({ state, withdrawn_by }) => state !== 'queued' && withdrawn_by === null),
    isStopping: turns.some(({ state, withdrawn_by }) => state !== 'queued' && withdrawn_by !== null),
    hasQueued: turns.some(({ state }) => state === 'queued'),
  }
}

/**
 * Asks the host that runs the live turn to end it. Last writer wins; `restart` never overwrites `interrupt`, because the
 * interrupting message goes before the interrupted prompt.
 */
export async function withdrawLiveTurn(tx: Transaction, sessionId: number, by: Withdrawal): Promise<void> {
  await tx
    .updateTable('turns')
    .set({ withdrawn_by: by })
    .where('session_id', '=', sessionId)
    .where('state', 'in', ['dispatched', 'executing'])
    .$if(by === 'restart', (update) => update.where(sql`withdrawn_by`, 'is distinct from', 'interrupt'))
    .execute()
}

/** `by` is null if no request ended them. */
export async function endQueuedTurns(tx: Transaction, sessionId: number, by: Withdrawal | null): Promise<Turn[]> {
  return tx
    .updateTable('turns')
    .set({ state: 'ended', outcome: 'interrupted', withdrawn_by: by, ended_at: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('state', '=', 'queued')
    .returningAll()
    .execute()
}

export function findLastTurn(db: Database | Transaction, sessionId: number): Promise<Turn | undefined> {
  return db
    .selectFrom('turns')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Run markers of processes that may still be running for the session. */
export async function findRunMarkers(tx: Transaction, sessionId: number): Promise<string[]> {
  const turns = await tx
    .selectFrom('turns')
    .select('run_marker')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'executing')
    .where('run_marker', 'is not', null)
    .$narrowType<{ run_marker: string }>()
    .execute()
  return turns.map(({ run_marker }) => run_marker)
}

/**
 * Turns that ended long ago. The last one of a session is kept, because it numbers the next one, and the first one, because a
 * title is made of it. So is one whose prompt may name an issue or a pull request: an agent did not find what it was told of.
 */
export function deleteOldTurns(db: Database, slice: Slice): Promise<number> {
  const isDone = sql<SqlBool>`
    old.state = 'ended'
    and old.sequence > 1
    and old.prompt not like '%/pull/%'
    and old.prompt not like '%/issues/%'
    and exists (
      select from turns as later
      where later.session_id = old.session_id
        and later.sequence > old.sequence
    )
  `
  return deleteOld(db, { table: 'turns', since: 'ended_at', where: isDone }, slice)
}
