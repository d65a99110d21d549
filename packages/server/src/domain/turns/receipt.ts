import { type Conversation, mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordReceipt, type TurnHold } from '../inbox/inbox.ts'
import { completeLines, findProgress } from '../transcripts/transcript.ts'

export type Exchange = { hold: TurnHold; sessionId: number; runtime: Runtime; conversation: Conversation }

/**
 * Records that the agent has received its prompt, judged by its transcript file: an agent writes the prompt there before
 * it acts on it. If the prompt is missing, the agent has done nothing, and another agent may get the prompt. That we
 * passed the prompt to the process proves nothing: the host may die before it records that.
 *
 * A turn ends only after all its lines are stored, and no line is stored before the receipt is recorded. Until then,
 * every line behind the stored part belongs to this turn, so a crash at any point does not change the result.
 */
export async function noteReceipt(app: App, { hold, sessionId, runtime, conversation }: Exchange): Promise<boolean> {
  const files = await runtime.transcriptFiles(conversation)
  const main = files.find(({ thread }) => thread === mainThread)
  if (!main) return false
  const { read_bytes: storedBytes } = await findProgress(app.db, { sessionId, thread: mainThread })
  return (await showsReceipt(runtime, main.path, storedBytes)) && recordReceipt(app.db, hold)
}

/** Ignores an incomplete last line: the agent is still writing it, or died while writing it in an earlier turn. */
async function showsReceipt(runtime: Runtime, path: string, fromByte: number): Promise<boolean> {
  for await (const { text } of completeLines(path, fromByte)) if (runtime.showsReceipt(text)) return true
  return false
}
