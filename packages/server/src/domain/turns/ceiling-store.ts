import type { PriorityClass } from '@yardmaster/contract/sessions/fields'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { findLiveSessions } from '../inbox/inbox.ts'
import { type ClassByGenesis, hasMetadata, metadataText } from '../sessions/session.ts'

/** Spot sessions of these runtimes with a live turn that no request has withdrawn. */
export function selectRunningSpot(
  db: Database,
  runtimes: readonly string[],
  classes: ClassByGenesis,
): Promise<number[]> {
  return findLiveSessions(db, sql`sessions.agent_runtime = any(${runtimes}::text[]) and ${classOf(classes)} = 'spot'`)
}

export type PausedSession = { id: number; agent_runtime: string; class: PriorityClass }

/** In the order in which they resume. */
export async function selectPaused(db: Database, classes: ClassByGenesis): Promise<PausedSession[]> {
  const { rows } = await sql<PausedSession>`
    select sessions.id, sessions.agent_runtime, ${classOf(classes)} as class
    from sessions
    where sessions.status = 'waiting'
      and ${hasMetadata('spot_pause_at')}
    order by sessions.precedence desc, ${metadataText('spot_pause_at')}, sessions.id
  `.execute(db)
  return rows
}

function classOf(classes: ClassByGenesis): RawBuilder<PriorityClass> {
  return sql`coalesce(sessions.scheduling_class, ${JSON.stringify(classes)}::jsonb ->> sessions.genesis)`
}
