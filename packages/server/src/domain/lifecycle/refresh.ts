import { stat } from 'node:fs/promises'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import { refuse } from '../../platform/refusal.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { findSession } from '../sessions/session.ts'
import { findProgress } from '../transcripts/transcript.ts'
import { readTranscripts, runtimeHome } from '../workspaces/workspace.ts'

export type Refreshed = { sessionId: number; appended: number; entryCount: number; isFileShorter: boolean }

/** Reads on in the agent's files. Entries are only ever added, so a file that has become shorter takes nothing away. */
export async function refreshTranscript(app: App, ref: SessionRef): Promise<Refreshed> {
  const session = await findSession(app.db, ref)
  const { working_directory: workingDirectory } = session.metadata
  const runtime = app.runtimes.find(session.agent_runtime)
  if (typeof workingDirectory !== 'string' || session.session_id === null || !runtime) {
    return refuse('no_clone', 'Session has no clone path')
  }
  const conversation = { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
  const files = await runtime.transcriptFiles(conversation)
  if (files.length === 0) {
    refuse('no_transcript_files', 'No transcript files found on filesystem')
  }
  const appended = await readTranscripts(app, { session, runtime, conversation })
  const progress = await findProgress(app.db, { sessionId: session.id, thread: mainThread })
  const sizeBytes = await sizeOf(files.find(({ thread }) => thread === mainThread)?.path)
  const isFileShorter = sizeBytes < progress.read_bytes
  return { sessionId: session.id, appended, entryCount: progress.entry_count, isFileShorter }
}

/** Of a file that is gone: 0. */
async function sizeOf(path: string | undefined): Promise<number> {
  return path === undefined
    ? 0
    : stat(path).then(
        ({ size }) => size,
        () => 0,
      )
}
