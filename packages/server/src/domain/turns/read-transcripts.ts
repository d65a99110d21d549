import type { Database } from '../../platform/db/database.ts'
import type { Conversation, Runtime } from '../../runtimes/runtime.ts'
import { ingest } from '../transcripts/transcript.ts'

/** Stores what every thread of the conversation has grown by. */
export async function readTranscripts(
  db: Database,
  { sessionId, runtime, conversation }: { sessionId: number; runtime: Runtime; conversation: Conversation },
): Promise<void> {
  for (const { thread, path } of await runtime.transcriptFiles(conversation)) {
    await ingest(db, { sessionId, thread }, path)
  }
}
