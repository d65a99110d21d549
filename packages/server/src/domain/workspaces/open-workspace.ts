import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PathRefused, resolveInside } from '../../platform/contained-path.ts'
import { transact } from '../../platform/db/transact.ts'
import { withFileLock } from '../../platform/git/file-lock.ts'
import { GitFailed } from '../../platform/git/git-failed.ts'
import { parseRepositoryAddress } from '../../platform/git/repository-address.ts'
import { withRetries } from '../../platform/with-retries.ts'
import { type Conversation, mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import type { SessionRow } from '../sessions/session.ts'
import { recordWorkspace } from '../sessions/session.ts'
import { findProgress, storedLines, updateReadBytes } from '../transcripts/transcript.ts'
import { cloneName, clonePath, runtimeHome } from './folders.ts'

/** Why a session cannot be worked on, for whoever looks at it. */
export class WorkspaceFailed extends Error {
  override readonly name = 'WorkspaceFailed'
  readonly reason: 'git_clone_failed' | 'clone_validation_failed'

  constructor(reason: WorkspaceFailed['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

export type Workspace = { conversation: Conversation; isCloneNew: boolean }

/**
 * Everything a session needs on this host's disk: its clone, the runtime's home, and the conversation so far. What is
 * there is used; what is gone, or was on another host, is made again. Written down before any process starts, so that
 * after a crash the row knows what to look for.
 */
export async function openWorkspace(
  app: App,
  session: SessionRow,
  runtime: Runtime,
  signal?: AbortSignal,
): Promise<Workspace> {
  return alone(app, session.id, () => open(app, session, runtime, signal), signal)
}

/** Two who restore a session at once, or one who clears it away, would stand in each other's way. */
export async function alone<T>(app: App, sessionId: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const lock = app.home.in('clones', `${cloneName(sessionId)}.lock`)
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
  return withFileLock(lock, { signal, patienceMs }, work)
}

/** Longer than any clone may take. */
const patienceMs = 3_600_000

async function open(app: App, session: SessionRow, runtime: Runtime, signal?: AbortSignal): Promise<Workspace> {
  const { path: clone, isNew: isCloneNew } = await ensureClone(app, session, signal)
  const workingDirectory = await findWorkingDirectory(clone, session.subdirectory)
  const home = runtimeHome(app, session.id)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const conversation = { id: session.session_id ?? runtime.newConversationId(), home, workingDirectory }
  await restoreTranscript(app, session, runtime, conversation)
  await transact(app.db, (tx) =>
    recordWorkspace(tx, session.id, {
      conversationId: conversation.id ?? null,
      hostId: app.home.hostId,
      clonePath: clone,
      workingDirectory,
    }),
  )
  return { conversation, isCloneNew }
}

/** A folder at the clone's path is a whole clone: it is put there only when it is complete. */
async function ensureClone(
  app: App,
  session: SessionRow,
  signal?: AbortSignal,
): Promise<{ path: string; isNew: boolean }> {
  const path = clonePath(app, session.id)
  if (await isThere(path)) return { path, isNew: false }
  try {
    const address = parseRepositoryAddress(session.git_root)
    const { path: made } = await withRetries(
      () => app.clones.create({ name: cloneName(session.id), address, branch: session.branch, signal }),
      {
        delaysMs: cloneRetryDelaysMs,
        isWorthIt: (error) => error instanceof GitFailed && error.isRetryable,
        onRetry: (error, delayMs) => tellOfRetry(app, session.id, error, delayMs),
        signal,
      },
    )
    return { path: made, isNew: true }
  } catch (error) {
    if (error instanceof GitFailed) throw new WorkspaceFailed('git_clone_failed', error.message)
    throw error
  }
}

/** A forge that restarts or a network that hiccups is back by then. */
const cloneRetryDelaysMs = [5000, 10_000, 20_000]

async function tellOfRetry(app: App, sessionId: number, error: unknown, delayMs: number): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  const sentence = `${reason}. It is tried again in ${delayMs / 1000} s.`
  await transact(app.db, (tx) => note(app, tx, sessionId, sentence, 'warning'))
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
 * The agent's own file is the record where it exists. On a new disk the stored entries take its place, and also where the
 * session has been elsewhere meanwhile: a file from before that lacks what was said there.
 */
async function restoreTranscript(
  app: App,
  session: SessionRow,
  runtime: Runtime,
  conversation: Conversation,
): Promise<void> {
  const key = { sessionId: session.id, thread: mainThread }
  const { entry_count: entryCount, read_bytes: readBytes } = await findProgress(app.db, key)
  if (entryCount === 0) return
  const isFromHere = session.host_id === null || session.host_id === app.home.hostId
  const main = (await runtime.transcriptFiles(conversation)).find(({ thread }) => thread === mainThread)
  // A file shorter than what was read is not the one that was read, whoever the row says had it last.
  if (main && isFromHere && (await stat(main.path)).size >= readBytes) return
  const { path } = await runtime.writeTranscript(conversation, storedLines(app.db, key))
  const { size } = await stat(path)
  await transact(app.db, (tx) => updateReadBytes(tx, key, size))
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
