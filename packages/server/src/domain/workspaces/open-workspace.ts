import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { withFileLock } from '../../platform/concurrency/file-lock.ts'
import { PathRefused, resolveInside } from '../../platform/contained-path.ts'
import type { Transact } from '../../platform/db/transact.ts'
import { ifUntrusted, openUntrusted } from '../../platform/files/untrusted-file.ts'
import { GitFailed } from '../../platform/git/git-failed.ts'
import { parseRepositoryAddress } from '../../platform/git/repository-address.ts'
import { withRetries } from '../../platform/with-retries.ts'
import { type Conversation, mainThread, maxTranscriptBytes, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import type { SessionRow } from '../sessions/session.ts'
import { lockSessionIfThere, recordWorkspace } from '../sessions/session.ts'
import { findProgress, storedLines, updateReadBytes } from '../transcripts/transcript.ts'
import { collectTranscripts } from './collect-transcripts.ts'
import { cloneName, clonePath, runtimeHome } from './folders.ts'

/** The clone could not be made or lacks the subdirectory. The message is shown to users in the session's log. */
export class WorkspaceFailed extends Error {
  override readonly name = 'WorkspaceFailed'
  readonly reason: 'git_clone_failed' | 'clone_validation_failed'

  constructor(reason: WorkspaceFailed['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** `write`: how the caller writes, such as in the name of a turn. `signal`: aborted when the caller gives up. */
type Opening = { write: Transact; signal?: AbortSignal }

export type Workspace = { conversation: Conversation; isCloneNew: boolean }

/**
 * Prepares what a session needs on this host's disk: its clone, the runtime's home and the conversation so far. Reuses
 * what exists and recreates what is missing or was on another host. Records the paths before any process starts, so that
 * recovery after a crash finds the files.
 */
export async function openWorkspace(
  app: App,
  session: SessionRow,
  runtime: Runtime,
  opening: Opening,
): Promise<Workspace> {
  return withWorkspaceLock(app, session.id, () => open(app, session, runtime, opening), opening.signal)
}

/** Serialises work on one session's files: opening and removing a workspace must not overlap. */
export async function withWorkspaceLock<T>(
  app: App,
  sessionId: number,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lock = app.home.in('clones', `${cloneName(sessionId)}.lock`)
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
  return withFileLock(lock, { signal, timeoutMs: lockTimeoutMs }, work)
}

/** Longer than any clone may take. */
const lockTimeoutMs = 3_600_000

async function open(app: App, session: SessionRow, runtime: Runtime, opening: Opening): Promise<Workspace> {
  const { path: clone, isNew: isCloneNew } = await ensureClone(app, session, opening)
  const workingDirectory = await findWorkingDirectory(clone, session.subdirectory)
  const home = runtimeHome(app, session.id)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const conversation = { id: session.session_id ?? runtime.newConversationId(), home, workingDirectory }
  await restoreTranscript(app, session, { runtime, conversation, write: opening.write })
  await opening.write((tx) =>
    recordWorkspace(tx, session.id, {
      conversationId: conversation.id ?? null,
      hostId: app.home.hostId,
      clonePath: clone,
      workingDirectory,
    }),
  )
  return { conversation, isCloneNew }
}

/** A folder at the clone's path is a complete clone: it is moved there only when it is finished. */
async function ensureClone(
  app: App,
  session: SessionRow,
  { write, signal }: Opening,
): Promise<{ path: string; isNew: boolean }> {
  const path = clonePath(app, session.id)
  if (await exists(path)) return { path, isNew: false }
  try {
    const address = parseRepositoryAddress(session.git_root)
    const { path: made } = await withRetries(
      () => app.clones.create({ name: cloneName(session.id), address, branch: session.branch, signal }),
      {
        delaysMs: cloneRetryDelaysMs,
        isWorthIt: (error) => error instanceof GitFailed && error.isRetryable,
        onRetry: (error, delayMs) => noteRetry(app, session.id, { error, delayMs, write }),
        signal,
      },
    )
    return { path: made, isNew: true }
  } catch (error) {
    if (error instanceof GitFailed) throw new WorkspaceFailed('git_clone_failed', error.message)
    throw error
  }
}

/** Long enough for a forge restart or a short network failure. */
const cloneRetryDelaysMs = [5000, 10_000, 20_000]

type Retry = { error: unknown; delayMs: number; write: Transact }

async function noteRetry(app: App, sessionId: number, { error, delayMs, write }: Retry): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  const sentence = `${reason}. Retrying in ${delayMs / 1000} s.`
  await write((tx) => note(app, tx, sessionId, sentence, 'warning'))
}

async function findWorkingDirectory(clone: string, subdirectory: string | null): Promise<string> {
  if (subdirectory === null) return clone
  try {
    return await resolveInside(clone, subdirectory, { mustBeDirectory: true })
  } catch (error) {
    if (error instanceof PathRefused) throw new WorkspaceFailed('clone_validation_failed', error.message)
    throw error
  }
}

/**
 * Uses the agent's own file if it is current. Writes it from the stored entries if it is missing or cannot be read, or if
 * the session has run on another host since: the file here lacks the turns of that host.
 */
async function restoreTranscript(
  app: App,
  session: SessionRow,
  { runtime, conversation, write }: { runtime: Runtime; conversation: Conversation; write: Transact },
): Promise<void> {
  const key = { sessionId: session.id, thread: mainThread }
  const { entry_count: entryCount, read_bytes: readBytes } = await findProgress(app.db, key)
  const isFromHere = session.host_id === null || session.host_id === app.home.hostId
  const sizeBytes = await sizeOfTranscript(runtime, conversation).catch(ifUntrusted(-1))
  if (sizeBytes === undefined && entryCount === 0 && readBytes === 0) return
  // A file shorter than the bytes read is not the file that was read, even if the row names this host.
  if (sizeBytes !== undefined && isFromHere && sizeBytes >= readBytes) {
    await storeEarlierLines(app, session, runtime, conversation)
    return
  }
  const { path } = await runtime.writeTranscript(conversation, storedLines(app.db, key))
  const { size } = await stat(path)
  await write((tx) => updateReadBytes(tx, key, size))
}

/** Undefined if there is no transcript. */
async function sizeOfTranscript(runtime: Runtime, conversation: Conversation): Promise<number | undefined> {
  const main = (await runtime.transcriptFiles(conversation)).find(({ thread }) => thread === mainThread)
  const bounds = { within: conversation.home, maxBytes: maxTranscriptBytes }
  const file = main && (await openUntrusted(main.path, bounds))
  try {
    return (await file?.stat())?.size
  } finally {
    await file?.close()
  }
}

/** Lines that an earlier turn left unstored or torn are not a receipt of the prompt that the agent gets next. */
async function storeEarlierLines(
  app: App,
  session: SessionRow,
  runtime: Runtime,
  conversation: Conversation,
): Promise<void> {
  await collectTranscripts(app, {
    session,
    runtime,
    conversation,
    isOver: true,
    mayStore: async (tx) => (await lockSessionIfThere(tx, session))?.host_id === app.home.hostId,
    onReceipt: async () => undefined,
  })
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
