import { basename } from 'node:path'
import type { Transaction } from '../../platform/db/database.ts'
import type { SubagentFacts, TranscriptFile } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { toolUsesIn } from '../transcripts/transcript.ts'
import { redactTexts } from './redact-texts.ts'
import { upsertThread } from './subagent-store.ts'

const noFacts: SubagentFacts = { subagent_type: null, description: null, tool_use_id: null }

/** Updates the subagent of a thread, in the transaction that stores its new lines. `tokens`: those not counted before. */
export async function recordThreadGrowth(
  app: App,
  tx: Transaction,
  sessionId: number,
  { thread, path, subagent }: TranscriptFile,
  { lines, tokens }: { lines: readonly string[]; tokens: number },
): Promise<void> {
  const toolUses = lines.reduce((count, line) => count + toolUsesIn(line), 0)
  // The agent wrote these texts and names its files.
  const { filename, ...facts } = await redactTexts(app, { ...noFacts, ...subagent, filename: basename(path) })
  await upsertThread(tx, { sessionId, thread, filename, facts, tokens, toolUses })
}
