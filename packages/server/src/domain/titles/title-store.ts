import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import { hasMetadata, type SessionRow } from '../sessions/session.ts'

/** A session whose first turn runs longer than this is titled from its prompt without waiting for the end. */
const titleAfterMinutes = 2

/** Has a placeholder title and a prompt, and is at rest or older than the limit. */
const isDue = sql<boolean>`
  ${hasMetadata('auto_generated_title')}
  and prompt is not null
  and summary_of_session_id is null
  and (
    status in ('needs_input', 'failed', 'archived')
    or created_at <= now() - make_interval(mins => ${titleAfterMinutes})
  )
`

export async function selectUntitled(db: Database, limit: number): Promise<number[]> {
  const sessions = await db
    .selectFrom('sessions')
    .select('id')
    .where(isDue)
    .orderBy('created_at')
    .limit(limit)
    .execute()
  return sessions.map(({ id }) => id)
}

/** Undefined when the session has its title. Waits for a transaction that holds the session. */
export function lockUntitled(tx: Transaction, id: number): Promise<SessionRow | undefined> {
  return tx.selectFrom('sessions').selectAll().where('id', '=', id).where(isDue).forNoKeyUpdate().executeTakeFirst()
}

/** The prompt of the first turn. The session's own `prompt` is the latest one. */
export async function selectFirstPrompt(tx: Transaction, sessionId: number): Promise<string | undefined> {
  const turn = await tx
    .selectFrom('turns')
    .select('prompt')
    .where('session_id', '=', sessionId)
    .where('prompt', '!=', '')
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst()
  return turn?.prompt
}
