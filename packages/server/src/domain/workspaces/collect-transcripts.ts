import type { Transaction } from '../../platform/db/database.ts'
import { type Conversation, mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordUsage } from '../costs/cost.ts'
import type { SessionRow } from '../sessions/session.ts'
import { followThread } from '../subagents/subagent.ts'
import { ingest } from '../transcripts/transcript.ts'

type Source = {
  session: Pick<SessionRow, 'id' | 'agent_runtime' | 'metadata'>
  runtime: Runtime
  conversation: Conversation
}

/**
 * Stores what every thread of the conversation has grown by, with it what the new lines say was used, and who its
 * subagents are.
 */
export async function collectTranscripts(app: App, { session, runtime, conversation }: Source): Promise<number> {
  const owner = {
    session_id: session.id,
    agent_root: typeof session.metadata.agent_root_key === 'string' ? session.metadata.agent_root_key : null,
    agent_runtime: session.agent_runtime,
    runtime_session_id: conversation.id ?? null,
  }
  let appended = 0
  for (const file of await runtime.transcriptFiles(conversation)) {
    const { thread, path } = file
    // A line need not say whose it is: every thread but the main one is a subagent's.
    const isSubagent = thread !== mainThread
    const recordAlongside = async (tx: Transaction, lines: readonly string[]): Promise<void> => {
      const usages = lines.flatMap((line) => runtime.usageOf(line) ?? [])
      const tokens = await recordUsage(
        tx,
        owner,
        usages.map((usage) => ({ ...usage, subagent: usage.subagent || isSubagent })),
      )
      if (isSubagent) await followThread(app, tx, session.id, file, { lines, tokens })
    }
    const isKept = (line: string): boolean => runtime.isWorthKeeping(line)
    appended += await ingest(app, { sessionId: session.id, thread }, path, { isKept, alongside: recordAlongside })
  }
  return appended
}
