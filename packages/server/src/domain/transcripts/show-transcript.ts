import type { Readable } from 'node:stream'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import { refuse } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { collect, hasTranscript, transcriptText } from './transcript.ts'

/** The reading copy: streamed as plain text, or as one string in JSON. */
export async function readTranscript(
  app: App,
  ref: SessionRef,
  { isPlainText }: { isPlainText: boolean },
): Promise<Readable | { transcript_text: string }> {
  const { id, agent_runtime: runtime } = await findSession(app.db, ref)
  if (!(await hasTranscript(app.db, id))) refuse('no_transcript', 'No transcript available for this session')
  const text = transcriptText(app.db, id, app.runtimes.find(runtime)?.readable)
  return isPlainText ? text : { transcript_text: await collect(text) }
}
