import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { SessionRow } from '../sessions/session.ts'

/** By the database's clock, which is everybody's. */
const isDue = sql<boolean>`
  heartbeat_enabled
  and coalesce((metadata ->> 'heartbeat_last_beat_at')::timestamptz, '-infinity')
    <= now() - make_interval(secs => heartbeat_interval_seconds)
`

/** Sessions with a heartbeat that has never beaten, or not within its interval. */
export async function selectDueHearts(db: Database): Promise<number[]> {
  const sessions = await db.selectFrom('sessions').select('id').where(isDue).orderBy('id').execute()
  return sessions.map(({ id }) => id)
}

/** Undefined when the beat has been given, or when somebody is just deciding about the session: then it can wait. */
export function lockDueHeart(tx: Transaction, id: number): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .where(isDue)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}
