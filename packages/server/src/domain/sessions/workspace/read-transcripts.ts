import type { Transaction } from '../../../platform/db/database.ts'
import { type Conversation, mainThread, type Runtime } from '../../../runtimes/runtime.ts'
import type { App } from '../../app.ts'
import { recordUsage } from '../../costs/cost.ts'
import { ingest } from '../../transcripts/transcript.ts'
import type { SessionRow } from '../session-table.ts'

type Source = {
  session: Pick<SessionRow, 'id' | 'agent_runtime' | 'metadata'>
  runtime: Runtime
  conversation: Conversation
}

/** Stores what every thread of the conversation has grown by, and with it what the new lines say was used. */
export async function readTranscripts(app: App, { session, runtime, conversation }: Source): Promise<number> {
  const owner = {
    session_id: session.id,
    agent_root: typeof session.metadata.agent_root_key === 'string' ? session.metadata.agent_root_key : null,
    agent_runtime: session.agent_runtime,
    runtime_session_id: conversation.id ?? null,
  }
  let appended = 0
  for (const { thread, path } of await runtime.transcriptFiles(conversation)) {
    // A line need not say whose it is: every thread but the main one is a subagent's.
    const isSubagent = thread !== mainThread
    const countUsage = async (tx: Transaction, lines: readonly string[]): Promise<void> => {
      const usages = lines.flatMap((line) => runtime.usageOf(line) ?? [])
      await recordUsage(
        tx,
        owner,
        usages.map((usage) => ({ ...usage, subagent: usage.subagent || isSubagent })),
      )
    }
    const isKept = (line: string): boolean => runtime.isWorthKeeping(line)
    appended += await ingest(app, { sessionId: session.id, thread }, path, { isKept, alongside: countUsage })
  }
  return appended
}
