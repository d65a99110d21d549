import type { Transaction } from '../../platform/db/database.ts'
import { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { type Conversation, mainThread, type Runtime, type TranscriptFile } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { ownerOf, type RecordedCalls, recordUsage } from '../costs/cost.ts'
import { recordSuspectCalls, type SessionRow } from '../sessions/session.ts'
import { recordThreadGrowth } from '../subagents/subagent.ts'
import { type IngestHooks, ingest } from '../transcripts/transcript.ts'

export type TranscriptSource = {
  session: Pick<SessionRow, 'id' | 'title' | 'agent_runtime' | 'metadata'>
  runtime: Runtime
  conversation: Conversation
  /** Whether no agent writes the files any more: then text after the last newline is a torn line. */
  isOver: boolean
  mayStore: IngestHooks['mayStore']
  /** Called in the transaction that stores a line which proves that the agent received a prompt. */
  onReceipt(tx: Transaction): Promise<void>
}

/** `reports`: those of model calls that were new or completed what was recorded. `suspect`: calls that cannot have been made. */
export type Collected = { appended: number; reports: number; suspect: number; refused: readonly RefusedFile[] }

/** A file that is not read, such as a pipe. The agent can write these files and everything in their folders. */
export type RefusedFile = { thread: string; problem: string }

/**
 * Stores the new lines of every thread of the conversation, and with them the usage they report and the subagents that
 * wrote them. A file that is refused does not keep the others from being read.
 */
export async function collectTranscripts(app: App, source: TranscriptSource): Promise<Collected> {
  const refused: RefusedFile[] = []
  const refuse = (thread: string, error: unknown): void => {
    if (!(error instanceof UntrustedFile)) throw error
    refused.push({ thread, problem: error.message })
  }
  let appended = 0
  let reports = 0
  let suspect = 0
  const count = (more: Pick<RecordedCalls, 'reports' | 'suspect'>): void => {
    reports += more.reports
    suspect += more.suspect
  }
  for (const file of await filesOf(source).catch((error) => refuse(mainThread, error) ?? [])) {
    appended += await collectFile(app, source, file, count).catch((error) => refuse(file.thread, error) ?? 0)
  }
  return { appended, reports, suspect, refused }
}

function filesOf({ runtime, conversation }: TranscriptSource): Promise<TranscriptFile[]> {
  return runtime.transcriptFiles(conversation)
}

function collectFile(
  app: App,
  source: TranscriptSource,
  file: TranscriptFile,
  count: (recorded: RecordedCalls) => void,
): Promise<number> {
  const { session, runtime, conversation, isOver, mayStore, onReceipt } = source
  const { thread, path } = file
  // A line does not always name its agent. Every thread except the main one is a subagent's.
  const isSubagent = thread !== mainThread
  const owner = ownerOf(session, conversation.id)
  const recordAlongside = async (tx: Transaction, lines: readonly string[]): Promise<void> => {
    const usages = lines.flatMap((line) => runtime.usageOf(line) ?? [])
    const recorded = await recordUsage(
      app,
      tx,
      owner,
      usages.map((usage) => ({ ...usage, subagent: usage.subagent || isSubagent })),
    )
    count(recorded)
    // With the lines, so that no sweep sees them without it.
    if (recorded.suspect > 0) await recordSuspectCalls(tx, session.id)
    if (isSubagent) await recordThreadGrowth(app, tx, session.id, file, { lines, tokens: recorded.tokens })
    else if (lines.some((line) => runtime.showsReceipt(line))) await onReceipt(tx)
  }
  const isKept = (line: string): boolean => runtime.isWorthKeeping(line)
  return ingest(
    app,
    { sessionId: session.id, thread },
    { path, within: conversation.home, isOver },
    { mayStore, isKept, recordAlongside },
  )
}
