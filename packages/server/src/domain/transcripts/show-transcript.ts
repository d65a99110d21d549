import type { Readable } from 'node:stream'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { collectText, hasTranscript, transcriptText } from './transcript.ts'

/** The rendered transcript: streamed as plain text, or as one string in JSON. */
export async function showTranscript(
  app: App,
  ref: SessionRef,
  { isPlainText }: { isPlainText: boolean },
): Promise<Readable | { transcript_text: string }> {
  const { id, agent_runtime: runtime } = await findSession(app.db, ref)
  if (!(await hasTranscript(app.db, id))) refuse('no_transcript', 'No transcript available for this session')
  const text = transcriptText(app.db, id, app.runtimes.find(runtime)?.readable)
  return isPlainText ? text : { transcript_text: await collectText(text) }
}
