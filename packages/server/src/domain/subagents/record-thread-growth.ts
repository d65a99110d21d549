import { basename } from 'node:path'
import type { Transaction } from '../../platform/db/database.ts'
import { withoutNul } from '../../platform/storable-text.ts'
import type { SubagentFacts, TranscriptFile } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { toolUsesIn } from '../transcripts/transcript.ts'
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
  const facts = subagent ? await redacted(app, subagent) : noFacts
  await upsertThread(tx, { sessionId, thread, filename: basename(path), facts, tokens, toolUses })
}

/** The parent agent wrote these texts: they may be long, contain secrets, or contain NUL, which PostgreSQL rejects. */
async function redacted(
  { redactor }: App,
  { subagent_type, description, tool_use_id }: SubagentFacts,
): Promise<SubagentFacts> {
  const clean = async (text: string | null): Promise<string | null> =>
    text && (await redactor.text(withoutNul(text))).slice(0, maxFactCharacters)
  return {
    subagent_type: await clean(subagent_type),
    description: await clean(description),
    tool_use_id: await clean(tool_use_id),
  }
}

const maxFactCharacters = 1000
