import type { Database } from '../../platform/db/database.ts'
import { mainThread } from '../../runtimes/runtime.ts'

/** How much of the main conversation's file is stored. */
export async function selectStoredBytes(db: Database, sessionId: number): Promise<number> {
  const thread = await db
    .selectFrom('transcript_threads')
    .select('read_bytes')
    .where('session_id', '=', sessionId)
    .where('thread', '=', mainThread)
    .executeTakeFirst()
  return thread?.read_bytes ?? 0
}
