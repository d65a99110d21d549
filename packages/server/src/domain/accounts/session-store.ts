import type { PriorityClass } from '@yardmaster/contract/sessions/fields'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { isParked, metadataText } from '../sessions/session.ts'

/** The session of the runtime that changed last: a notification is always about a session. */
export function selectLastSessionOf(
  db: Database | Transaction,
  runtime: string,
): Promise<{ id: number; title: string | null } | undefined> {
  return db
    .selectFrom('sessions')
    .select(['id', 'title'])
    .where('agent_runtime', '=', runtime)
    .where('status', '!=', 'archived')
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export type Parked = { id: number; class: PriorityClass }

/** Sessions that wait for the pool, the longest wait first. */
export async function selectParked(
  db: Database | Transaction,
  runtime: string,
  classByGenesis: Record<string, PriorityClass>,
): Promise<Parked[]> {
  const { rows } = await sql<Parked>`
    select sessions.id,
      coalesce(sessions.scheduling_class, ${JSON.stringify(classByGenesis)}::jsonb ->> sessions.genesis) as class
    from sessions
    where sessions.agent_runtime = ${runtime}
      and ${isParked}
    order by ${metadataText('auth_outage_parked_at')}, sessions.id
  `.execute(db)
  return rows
}

export async function countParked(db: Database | Transaction): Promise<Map<string, number>> {
  const { rows } = await sql<{ agent_runtime: string; parked: number }>`
    select sessions.agent_runtime, count(*)::int as parked
    from sessions
    where ${isParked}
    group by sessions.agent_runtime
  `.execute(db)
  return new Map(rows.map(({ agent_runtime, parked }) => [agent_runtime, parked]))
}
