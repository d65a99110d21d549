import { basename } from 'node:path'
import type { Transaction } from '../../platform/db/database.ts'
import { withoutNul } from '../../platform/process/utf8.ts'
import type { SubagentFacts, TranscriptFile } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { toolUsesIn } from '../transcripts/transcript.ts'
import { upsertThread } from './subagent-store.ts'

const unknown: SubagentFacts = { subagent_type: null, description: null, tool_use_id: null }

/** In the transaction that stores the lines by which a subagent's transcript has grown. `tokens`: newly on record. */
export async function followThread(
  app: App,
  tx: Transaction,
  sessionId: number,
  { thread, path, subagent }: TranscriptFile,
  { lines, tokens }: { lines: readonly string[]; tokens: number },
): Promise<void> {
  const toolUses = lines.reduce((count, line) => count + toolUsesIn(line), 0)
  const facts = subagent ? redacted(app, subagent) : unknown
  await upsertThread(tx, { sessionId, thread, filename: basename(path), facts, tokens, toolUses })
}

/** Its parent wrote them as it writes everything else: of any length, with secrets, and with what no column takes. */
function redacted({ redactor }: App, { subagent_type, description, tool_use_id }: SubagentFacts): SubagentFacts {
  const fit = (text: string | null): string | null =>
    text && redactor.text(withoutNul(text)).slice(0, maxFactCharacters)
  return { subagent_type: fit(subagent_type), description: fit(description), tool_use_id: fit(tool_use_id) }
}

const maxFactCharacters = 1000
