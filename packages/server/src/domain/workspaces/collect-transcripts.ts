import type { Transaction } from '../../platform/db/database.ts'
import { type Conversation, mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordUsage } from '../costs/cost.ts'
import type { SessionRow } from '../sessions/session.ts'
import { recordThreadGrowth } from '../subagents/subagent.ts'
import { type IngestHooks, ingest } from '../transcripts/transcript.ts'

type Source = {
  session: Pick<SessionRow, 'id' | 'agent_runtime' | 'metadata'>
  runtime: Runtime
  conversation: Conversation
  mayStore: IngestHooks['mayStore']
  /** Called in the transaction that stores a line which proves that the agent received a prompt. */
  onReceipt(tx: Transaction): Promise<void>
}

/**
 * Stores the new lines of every thread of the conversation, and with them the usage they report and the subagents that
 * wrote them. Returns the number of entries stored.
 */
export async function collectTranscripts(
  app: App,
  { session, runtime, conversation, mayStore, onReceipt }: Source,
): Promise<number> {
  const owner = {
    session_id: session.id,
    agent_root: typeof session.metadata.agent_root_key === 'string' ? session.metadata.agent_root_key : null,
    agent_runtime: session.agent_runtime,
    runtime_session_id: conversation.id ?? null,
  }
  let appended = 0
  for (const file of await runtime.transcriptFiles(conversation)) {
    const { thread, path } = file
    // A line does not always name its agent. Every thread except the main one is a subagent's.
    const isSubagent = thread !== mainThread
    const recordAlongside = async (tx: Transaction, lines: readonly string[]): Promise<void> => {
      const usages = lines.flatMap((line) => runtime.usageOf(line) ?? [])
      const tokens = await recordUsage(
        tx,
        owner,
        usages.map((usage) => ({ ...usage, subagent: usage.subagent || isSubagent })),
      )
      if (isSubagent) await recordThreadGrowth(app, tx, session.id, file, { lines, tokens })
      else if (lines.some((line) => runtime.showsReceipt(line))) await onReceipt(tx)
    }
    const isKept = (line: string): boolean => runtime.isWorthKeeping(line)
    appended += await ingest(app, { sessionId: session.id, thread }, path, { mayStore, isKept, recordAlongside })
  }
  return appended
}
