import { stat } from 'node:fs/promises'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import { ifUntrusted } from '../../platform/files/untrusted-file.ts'
import { refuse } from '../../platform/refusal.ts'
import { mainThread } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { findSession, lockSessionIfThere, readMetadata } from '../sessions/session.ts'
import { findProgress } from '../transcripts/transcript.ts'
import { runtimeHome } from '../workspaces/workspace.ts'
import { type HostOperation, onHostOf } from './on-host.ts'
import { refreshTranscriptJob } from './refresh-transcript-job.ts'
import { sentenceAbout, storeTranscripts } from './store-transcripts.ts'

export type Refreshed = { sessionId: number; appended: number; entryCount: number; isFileShorter: boolean }

/** Stores what the agent's files have grown by. Entries are only added: a file that became shorter removes nothing. */
export async function refreshTranscript(app: App, ref: SessionRef): Promise<Refreshed> {
  const session = await findSession(app.db, ref)
  return onHostOf(app, session, refreshOnHost, { sessionId: session.id })
}

export const refreshOnHost: HostOperation<{ sessionId: number }, Refreshed> = {
  job: refreshTranscriptJob,
  perform: refreshHere,
  ifHostIsDown: 'refuse',
}

async function refreshHere(app: App, { sessionId }: { sessionId: number }): Promise<Refreshed> {
  const session = await findSession(app.db, { id: sessionId })
  const { working_directory: workingDirectory } = readMetadata(session)
  const runtime = app.runtimes.find(session.agent_runtime)
  if (workingDirectory === undefined || session.session_id === null || !runtime) {
    return refuse('no_clone', 'Session has no clone path')
  }
  const conversation = { id: session.session_id, home: runtimeHome(app, session.id), workingDirectory }
  const files = await runtime.transcriptFiles(conversation).catch(ifUntrusted(undefined))
  if (files?.length === 0) {
    refuse('no_transcript_files', 'No transcript files found on filesystem')
  }
  const { appended, refused } = await storeTranscripts(app, {
    session,
    runtime,
    conversation,
    isOver: false,
    noted: new Set(),
    // Another host may have taken the session over; then its file is the one that counts.
    mayStore: async (tx) => (await lockSessionIfThere(tx, { id: session.id }))?.host_id === app.home.hostId,
  })
  // It may have been deleted meanwhile.
  await findSession(app.db, { id: session.id })
  const unread = refused.find(({ thread }) => thread === mainThread)
  if (unread) refuse('no_transcript_files', sentenceAbout(unread))
  const progress = await findProgress(app.db, { sessionId: session.id, thread: mainThread })
  const sizeBytes = await sizeOf(files?.find(({ thread }) => thread === mainThread)?.path)
  const isFileShorter = sizeBytes < progress.read_bytes
  return { sessionId: session.id, appended, entryCount: progress.entry_count, isFileShorter }
}

/** 0 for a file that is gone. */
async function sizeOf(path: string | undefined): Promise<number> {
  return path === undefined
    ? 0
    : stat(path).then(
        ({ size }) => size,
        () => 0,
      )
}
