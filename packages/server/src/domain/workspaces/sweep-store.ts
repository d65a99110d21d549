import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/** Sessions with a transcript, in the order of their creation: a fork copies lines of an older session. */
export async function selectSessionsAfter(db: Database, id: number, limit: number): Promise<number[]> {
  const sessions = await withTranscript(db).select('id').where('id', '>', id).orderBy('id').limit(limit).execute()
  return sessions.map((session) => session.id)
}

export async function countSessions(db: Database): Promise<number> {
  const { total } = await withTranscript(db)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export type StoredThread = { thread: string; isSummary: boolean }

/** A status summary is stored as a thread that was read from no file. An agent cannot make one like it. */
export function selectThreads(db: Database, sessionId: number): Promise<StoredThread[]> {
  return db
    .selectFrom('transcript_threads')
    .select(['thread', sql<boolean>`thread like 'summary-%' and read_bytes = 0`.as('isSummary')])
    .where('session_id', '=', sessionId)
    .orderBy('thread')
    .execute()
}

function withTranscript(db: Database) {
  return db
    .selectFrom('sessions')
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('transcript_threads').whereRef('transcript_threads.session_id', '=', 'sessions.id')),
    )
}
