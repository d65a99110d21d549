import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { isMetadataTimeReached, type SessionRow } from '../sessions/session.ts'

/** By the database's clock, which all hosts share. */
const intervalAgo = sql<Date>`now() - make_interval(secs => heartbeat_interval_seconds)`

const isDue = sql<boolean>`
  heartbeat_enabled
  and ${isMetadataTimeReached('heartbeat_last_beat_at', intervalAgo)}
`

/** Sessions that never had a heartbeat, or none within their interval. */
export async function selectDueHeartbeats(db: Database): Promise<number[]> {
  const sessions = await db.selectFrom('sessions').select('id').where(isDue).orderBy('id').execute()
  return sessions.map(({ id }) => id)
}

/** Undefined when the heartbeat was sent meanwhile, or when another transaction holds the session: the next run retries. */
export function lockDueHeartbeat(tx: Transaction, id: number): Promise<SessionRow | undefined> {
  return tx
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .where(isDue)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}
