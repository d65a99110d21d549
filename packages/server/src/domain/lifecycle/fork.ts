import { mkdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import { limits } from '@yardmaster/contract/limits'
import type { Session } from '@yardmaster/contract/sessions/fields'
import type { Transaction } from '../../platform/db/database.ts'
import { isOutage } from '../../platform/db/outage.ts'
import { transact } from '../../platform/db/transact.ts'
import { writeJson } from '../../platform/exact-json.ts'
import { copyFolder } from '../../platform/files/copy-folder.ts'
import { UntrustedFile } from '../../platform/files/untrusted-file.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Settle } from '../../platform/jobs/host-call.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import { truncate } from '../../platform/truncate.ts'
import { mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { sessionCreated } from '../sessions/events.ts'
import {
  findSession,
  insertSession,
  readMetadata,
  recordWorkspace,
  reserveSessionId,
  type SessionMetadata,
  type SessionRow,
  selectSessionForReference,
  showRow,
} from '../sessions/session.ts'
import { appendEntries, findProgress, lockThread, storedLines } from '../transcripts/transcript.ts'
import { removeFilesJob } from '../workspaces/remove-files-job.ts'
import { asksPeople, clonePath, removeSessionFiles, runtimeHome, withWorkspaceLock } from '../workspaces/workspace.ts'
import { forkSessionJob } from './fork-session-job.ts'
import { type HostOperation, onHostOf } from './on-host.ts'

/**
 * A new session that continues from one entry of another's conversation. Its clone is a copy of the source's clone as it
 * is now: files do not go back to the time of the entry, and the log says so.
 */
export async function forkSession(app: App, ref: SessionRef, messageIndex: number): Promise<Session> {
  const source = await findSession(app.db, ref)
  await keptLines(app, source, messageIndex)
  const { forkId } = await onHostOf(app, source, forkOnHost, { sessionId: source.id, messageIndex })
  return showRow(app, app.db, { id: forkId })
}

type ForkPayload = { sessionId: number; messageIndex: number }
type Forked = { forkId: number }

export const forkOnHost: HostOperation<ForkPayload, Forked> = {
  job: forkSessionJob,
  perform: forkHere,
  ifHostIsDown: 'refuse',
}

/** Writes the files under a reserved id, then all rows in one transaction. */
async function forkHere(app: App, { sessionId, messageIndex }: ForkPayload, settle: Settle<Forked>): Promise<Forked> {
  const source = await findSession(app.db, { id: sessionId })
  const kept = await keptLines(app, source, messageIndex)
  const runtime = app.runtimes.find(source.agent_runtime)
  if (!runtime) return refuse('fork_failed', `The runtime ${source.agent_runtime} is not registered on this host`)
  const forkId = await reserveFiles(app)
  try {
    const files = await writeFiles(app, { forkId, source, runtime, kept })
    await transact(app.db, async (tx) => {
      // Lock the source against deletion until the fork refers to it.
      if (!(await selectSessionForReference(tx, { id: source.id }))) refuseMissing()
      await insertFork(app, tx, { forkId, source, messageIndex })
      await adoptConversation(app, tx, { forkId, kept, files })
      await noteFork(app, tx, { forkId, sourceId: source.id, messageIndex })
      await app.events.publish(tx, sessionCreated, { sessionId: forkId, payload: {} })
      await settle(tx, { forkId })
    })
    return { forkId }
  } catch (error) {
    // In an outage the commit may have succeeded: leave cleanup to the queued job.
    if (!isOutage(error)) await removeSessionFiles(app, forkId)
    if (error instanceof UntrustedFile) {
      refuse('fork_failed', `The clone of the session cannot be copied: ${error.message}`)
    }
    throw error
  }
}

/** Longer than any copy may take. */
const abandonedAfterMs = 3_600_000

/** Reserves an id. If this host dies before the fork is a row, the job removes the files that bear the id. */
async function reserveFiles(app: App): Promise<number> {
  return transact(app.db, async (tx) => {
    const id = await reserveSessionId(tx)
    const whenAbandoned = { hostId: app.home.hostId, delayMs: abandonedAfterMs }
    await enqueue(tx, removeFilesJob, { sessionId: id, runMarkers: [] }, whenAbandoned)
    return id
  })
}

type Fork = { forkId: number; source: SessionRow; runtime: Runtime; kept: readonly string[] }
type Files = { conversationId: string; workingDirectory: string; transcriptBytes: number }

/** The clone appears at its place only when it is whole. The agent finds the kept entries in its own home. */
async function writeFiles(app: App, { forkId, source, runtime, kept }: Fork): Promise<Files> {
  const clone = clonePath(app, forkId)
  // Named so that the removal of the clone removes it too. The lock keeps an archive from removing the source meanwhile.
  const draft = `${clone}.partial`
  const isCopied = await withWorkspaceLock(app, source.id, () => copyFolder(clonePath(app, source.id), draft))
  if (!isCopied) await refuseFork(app, source, 'The clone of the session is gone')
  await rename(draft, clone)
  const home = runtimeHome(app, forkId)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const workingDirectory = source.subdirectory === null ? clone : join(clone, source.subdirectory)
  const conversation = { id: runtime.newConversationId(), home, workingDirectory }
  const { conversationId, path } = await runtime.writeTranscript(conversation, lines(kept))
  return { conversationId, workingDirectory, transcriptBytes: (await stat(path)).size }
}

type Adoption = { forkId: number; kept: readonly string[]; files: Files }

async function adoptConversation(app: App, tx: Transaction, { forkId, kept, files }: Adoption): Promise<void> {
  const key = { sessionId: forkId, thread: mainThread }
  await lockThread(tx, key)
  await appendEntries(tx, key, { after: 0, lines: kept, readBytes: files.transcriptBytes })
  await recordWorkspace(tx, forkId, {
    conversationId: files.conversationId,
    hostId: app.home.hostId,
    clonePath: clonePath(app, forkId),
    workingDirectory: files.workingDirectory,
  })
}

/** Torn entries and lines that do not parse are no messages: they are neither counted nor kept. */
async function keptLines(app: App, source: SessionRow, messageIndex: number): Promise<string[]> {
  const key = { sessionId: source.id, thread: mainThread }
  if ((await findProgress(app.db, key)).entry_count === 0) await refuseFork(app, source, 'Session has no transcript')
  const kept: string[] = []
  for await (const line of storedLines(app.db, key)) {
    if (!isWhole(line)) continue
    kept.push(line)
    if (kept.length > messageIndex) return kept
  }
  const range = `transcript has ${kept.length} messages`
  return refuseFork(app, source, `Message index ${messageIndex} is out of range (${range})`)
}

/** What is missing may be missing because the session was deleted meanwhile. */
async function refuseFork(app: App, source: SessionRow, sentence: string): Promise<never> {
  await findSession(app.db, { id: source.id })
  return refuse('fork_failed', sentence)
}

function isWhole(line: string): boolean {
  const entry = parseJson(line)
  return entry !== undefined && (entry as { type?: unknown } | null)?.type !== 'torn_entry'
}

type ForkRow = { forkId: number; source: SessionRow; messageIndex: number }

async function insertFork(app: App, tx: Transaction, { forkId, source, messageIndex }: ForkRow): Promise<void> {
  const metadata: SessionMetadata = {
    forked_from_session_id: source.id,
    forked_at_message_index: messageIndex,
    runtime_started: true,
    ...inherited(readMetadata(source)),
    ...(asksPeople(app, source) && { asks_people: true as const }),
  }
  const id = await insertSession(
    tx,
    {
      id: forkId,
      title: forkTitle(source),
      agent_runtime: source.agent_runtime,
      genesis: source.genesis,
      scheduling_class: source.scheduling_class,
      precedence: Math.min(source.precedence + 1, limits.precedence.max),
      git_root: source.git_root,
      branch: source.branch,
      subdirectory: source.subdirectory,
      goal: source.goal,
      mcp_servers: source.mcp_servers,
      catalog_skills: source.catalog_skills,
      catalog_hooks: source.catalog_hooks,
      catalog_plugins: source.catalog_plugins,
      config: writeJson(source.config),
      metadata,
      is_autonomous: source.is_autonomous,
      session_notes: source.session_notes,
      session_notes_updated_at: source.session_notes_updated_at,
      host_id: app.home.hostId,
    },
    'needs_input',
  )
  if (id === undefined) throw new Error(`the id ${forkId}, reserved for a fork, is taken`)
}

/** Copies the source's root, catalog version and empty-servers mark. */
function inherited({
  agent_root_key,
  catalog_version,
  mcp_servers_explicitly_empty,
}: SessionMetadata): SessionMetadata {
  return {
    ...(agent_root_key !== undefined && { agent_root_key }),
    ...(catalog_version !== undefined && { catalog_version }),
    ...(mcp_servers_explicitly_empty && { mcp_servers_explicitly_empty }),
  }
}

function forkTitle({ id, title }: SessionRow): string {
  return truncate(`Fork of ${title ?? `Session ${id}`}`, limits.title, '…')
}

type Noted = { forkId: number; sourceId: number; messageIndex: number }

async function noteFork(app: App, tx: Transaction, { forkId, sourceId, messageIndex }: Noted): Promise<void> {
  const place = `at message ${messageIndex + 1}`
  await note(app, tx, forkId, `Forked from session ${sourceId} ${place}; the files are as they are now.`)
  await note(app, tx, sourceId, `Forked into session ${forkId} ${place}.`)
}

async function* lines(kept: readonly string[]): AsyncGenerator<string> {
  yield* kept
}
