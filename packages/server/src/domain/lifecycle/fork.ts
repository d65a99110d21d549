import { randomUUID } from 'node:crypto'
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionRef } from '@yardmaster/contract/identifiers'
import type { JsonObject } from '@yardmaster/contract/json'
import { limits } from '@yardmaster/contract/limits'
import type { Session } from '@yardmaster/contract/session'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { refuse } from '../../platform/refusal.ts'
import { mainThread, type Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { note } from '../logs/log.ts'
import { sessionCreated } from '../sessions/events.ts'
import type { SessionRow } from '../sessions/session.ts'
import { findSession, insertSession, recordWorkspace, showRow } from '../sessions/session.ts'
import { appendEntries, findProgress, lockThread, storedLines } from '../transcripts/transcript.ts'
import { clonePath, runtimeHome } from '../workspaces/workspace.ts'

/**
 * A new session that goes on from one entry of another's conversation. Its clone is a copy of the other's as it is now:
 * files are not turned back to the time of the entry, and the log says so.
 */
export async function forkSession(app: App, ref: SessionRef, messageIndex: number): Promise<Session> {
  const source = await findSession(app.db, ref)
  const kept = await keptLines(app, source, messageIndex)
  const sourceClone = clonePath(app, source.id)
  if (!(await stat(sourceClone).catch(() => undefined))) refuse('fork_failed', 'The clone of the session is gone')
  const runtime = app.runtimes.find(source.agent_runtime)
  if (!runtime) return refuse('fork_failed', `The runtime ${source.agent_runtime} is not registered on this host`)
  const draft = app.home.in('clones', `fork-${randomUUID()}.partial`)
  try {
    // Copied before the transaction and put in place inside it: no lock is held while files are copied.
    await cp(sourceClone, draft, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    return await transact(app.db, async (tx) => {
      const id = await insertFork(app, tx, source, messageIndex)
      await rename(draft, clonePath(app, id))
      await adoptConversation(app, tx, { id, source, runtime, kept })
      await note(
        app,
        tx,
        id,
        `Forked from session ${source.id} at message ${messageIndex + 1}; the files are as they are now.`,
      )
      await note(app, tx, source.id, `Forked into session ${id} at message ${messageIndex + 1}.`)
      await app.events.publish(tx, sessionCreated, { sessionId: id, payload: {} })
      return showRow(app, tx, { id })
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

type Fork = { id: number; source: SessionRow; runtime: Runtime; kept: readonly string[] }

/** The agent finds the kept entries on disk, and so does whoever reads the new session's transcript. */
async function adoptConversation(app: App, tx: Transaction, { id, source, runtime, kept }: Fork): Promise<void> {
  const clone = clonePath(app, id)
  const home = runtimeHome(app, id)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const workingDirectory = source.subdirectory === null ? clone : join(clone, source.subdirectory)
  const conversation = { id: runtime.newConversationId(), home, workingDirectory }
  const { conversationId, path } = await runtime.writeTranscript(conversation, lines(kept))
  const key = { sessionId: id, thread: mainThread }
  await lockThread(tx, key)
  await appendEntries(tx, key, { after: 0, lines: kept, readBytes: (await stat(path)).size })
  await recordWorkspace(tx, id, { conversationId, hostId: app.home.hostId, clonePath: clone, workingDirectory })
}

/** Lines that do not parse are no messages: they are neither counted nor kept. */
async function keptLines(app: App, source: SessionRow, messageIndex: number): Promise<string[]> {
  const key = { sessionId: source.id, thread: mainThread }
  if ((await findProgress(app.db, key)).entry_count === 0) refuse('fork_failed', 'Session has no transcript')
  const kept: string[] = []
  for await (const line of storedLines(app.db, key)) {
    if (!isJson(line)) continue
    kept.push(line)
    if (kept.length > messageIndex) return kept
  }
  return refuse('fork_failed', `Message index ${messageIndex} is out of range (transcript has ${kept.length} messages)`)
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

async function insertFork(app: App, tx: Transaction, source: SessionRow, messageIndex: number): Promise<number> {
  const metadata = {
    forked_from_session_id: source.id,
    forked_at_message_index: messageIndex,
    runtime_started: true,
    ...inherited(source.metadata),
  }
  const id = await insertSession(
    tx,
    {
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
      config: JSON.stringify(source.config),
      metadata: JSON.stringify(metadata),
      is_autonomous: source.is_autonomous,
      session_notes: source.session_notes,
      session_notes_updated_at: source.session_notes_updated_at,
      host_id: app.home.hostId,
    },
    'needs_input',
  )
  if (id === undefined) throw new Error('a fork has no idempotency key that could be taken')
  return id
}

/** Where it came from, and that its servers were left out on purpose. */
function inherited(metadata: JsonObject): JsonObject {
  const keys = ['agent_root_key', 'catalog_version', 'mcp_servers_explicitly_empty']
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => keys.includes(key)))
}

function forkTitle({ id, title }: SessionRow): string {
  const full = Array.from(`Fork of ${title ?? `Session ${id}`}`)
  return full.length <= limits.title ? full.join('') : `${full.slice(0, limits.title - 1).join('')}…`
}

async function* lines(kept: readonly string[]): AsyncGenerator<string> {
  yield* kept
}
