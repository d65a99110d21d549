import { sql } from 'kysely'
import type { Database, Transaction } from '../../platform/db/database.ts'
import type { SessionRow } from '../sessions/session.ts'

/** By then a first turn that goes on has shown nothing that would make a better title than its prompt. */
const patienceMinutes = 2

/** Goes by a placeholder, was asked for something, and has come to rest since, or has had time to. */
const isDue = sql<boolean>`
  metadata ? 'auto_generated_title'
  and prompt is not null
  and summary_of_session_id is null
  and (
    status in ('needs_input', 'failed', 'archived')
    or created_at <= now() - make_interval(mins => ${patienceMinutes})
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

/** Undefined when it has its title by now. Who is just deciding about the session is waited for. */
export function lockUntitled(tx: Transaction, id: number): Promise<SessionRow | undefined> {
  return tx.selectFrom('sessions').selectAll().where('id', '=', id).where(isDue).forNoKeyUpdate().executeTakeFirst()
}

/** What it was first asked for: `prompt` is what was said last. */
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
