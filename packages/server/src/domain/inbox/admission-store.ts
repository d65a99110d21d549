import type { PriorityClass } from '@yardmaster/contract/sessions/fields'
import { type RawBuilder, sql } from 'kysely'
import { takeLock } from '../../platform/db/advisory-locks.ts'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { hasMetadata, metadataText } from '../sessions/session.ts'

/** Serialises admission across hosts: slots are counted and taken under one lock, so the limit is exact. */
export async function lockAdmission(tx: Transaction): Promise<void> {
  await takeLock(tx, 'admission')
}

export type Candidate = {
  id: string
  session_id: number
  class: PriorityClass
  is_held: boolean
  /** Why it is held. */
  hold_reason: string | null
  agent_root: string | null
  agent_runtime: string
  /** Whether a budget ended the turn that it continues. */
  is_stopped_by_budget: boolean
  is_by_person: boolean
}

/**
 * The next queued turn of each `waiting` session that has no live turn, in dispatch order: priority first, then
 * precedence, then age. A session that waits for a vendor account, or that a quota target has paused, has none. A turn that pauses after a failed start also holds back the later turns of its session, and so
 * does a first turn while a wake is armed: the session starts when the wake fires. With `sessionId`, only that session's.
 */
export async function findCandidates(
  db: Database | Transaction,
  classByGenesis: Record<string, PriorityClass>,
  sessionId?: number,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    with next as (
      select distinct on (session_id) id, session_id, created_at, retry_at, source, is_by_person
      from turns
      where state = 'queued'
        and ${sessionId === undefined ? sql`true` : sql`session_id = ${sessionId}`}
        and not exists (
          select from turns as live
          where live.session_id = turns.session_id
            and live.state in ('dispatched', 'executing')
        )
      order by session_id, sequence
    ),
    classed as (
      select next.id, next.session_id, next.created_at, next.is_by_person, sessions.precedence,
        sessions.agent_runtime,
        coalesce(sessions.scheduling_class, ${JSON.stringify(classByGenesis)}::jsonb ->> sessions.genesis) as class,
        ${hasMetadata('spot_hold_at')} as is_held, ${metadataText('spot_hold_reason')} as hold_reason,
        ${metadataText('agent_root_key')} as agent_root,
        ${hasMetadata('stopped_by_budget')} as is_stopped_by_budget
      from next
      join sessions on sessions.id = next.session_id
      where sessions.status = 'waiting'
        and not ${hasMetadata('auth_outage_reason')}
        and not ${hasMetadata('spot_pause_at')}
        and (next.retry_at is null or next.retry_at <= now())
        and not (
          next.source = 'create'
          and exists (select from armed_wakes where armed_wakes.session_id = next.session_id)
        )
    )
    select id, session_id, class, is_held, hold_reason, agent_root, agent_runtime, is_stopped_by_budget, is_by_person
    from classed
    order by class = 'spot', precedence desc, created_at, id
  `.execute(db)
  return rows
}

/** A worker claims a dispatched turn within moments. After this long its job counts as lost and is enqueued again. */
const overdueSeconds = 10

export function findOverdueTurns(db: Database): Promise<{ id: string; session_id: number }[]> {
  return db
    .selectFrom('turns')
    .select(['id', 'session_id'])
    .where('state', '=', 'dispatched')
    .where('dispatched_at', '<', sql<Date>`now() - make_interval(secs => ${overdueSeconds})`)
    .execute()
}

export async function countLiveTurns(db: Database | Transaction): Promise<number> {
  const { count } = await db
    .selectFrom('turns')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', ['dispatched', 'executing'])
    .executeTakeFirstOrThrow()
  return count
}

/** The sessions for which the condition on `sessions` and `turns` holds, with a live turn that no request has withdrawn. */
export async function findLiveSessions(db: Database, condition: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select sessions.id
    from turns
    join sessions on sessions.id = turns.session_id
    where turns.state in ('dispatched', 'executing')
      and turns.withdrawn_by is null
      and sessions.status in ('waiting', 'running')
      and ${condition}
    order by sessions.id
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** False if the turn is no longer queued. */
export async function dispatchTurn(tx: Transaction, turnId: string): Promise<boolean> {
  const result = await tx
    .updateTable('turns')
    .set({ state: 'dispatched', dispatched_at: sql<Date>`now()`, retry_at: null })
    .where('id', '=', turnId)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}
