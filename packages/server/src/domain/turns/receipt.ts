import { type Conversation, mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { recordReceipt, type TurnHold } from '../inbox/inbox.ts'
import { completeLines, findProgress } from '../transcripts/transcript.ts'

export type Exchange = { hold: TurnHold; sessionId: number; runtime: Runtime; conversation: Conversation }

/**
 * Whether the agent has its prompt, told by what it wrote: an agent puts a prompt into its transcript before it acts on
 * it, so one without it there has done nothing, and the prompt may be given to another. What its process was
 * handed proves nothing; between that and any note of ours we may die.
 *
 * A turn ends after everything was stored, and nothing is stored before the receipt is written down. So until then
 * whatever stands behind the stored part is of this turn, and a crash at any line changes the answer for nobody.
 */
export async function noteReceipt(app: App, { hold, sessionId, runtime, conversation }: Exchange): Promise<boolean> {
  const files = await runtime.transcriptFiles(conversation)
  const main = files.find(({ thread }) => thread === mainThread)
  if (!main) return false
  const { read_bytes: storedBytes } = await findProgress(app.db, { sessionId, thread: mainThread })
  return (await showsReceipt(runtime, main.path, storedBytes)) && recordReceipt(app.db, hold)
}

/** A line that breaks off is not there yet: the agent was not done with it, or died over it in an earlier turn. */
async function showsReceipt(runtime: Runtime, path: string, fromByte: number): Promise<boolean> {
  for await (const { text } of completeLines(path, fromByte)) if (runtime.showsReceipt(text)) return true
  return false
}
