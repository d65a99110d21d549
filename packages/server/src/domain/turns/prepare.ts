import { mkdir, stat } from 'node:fs/promises'
import { PathRefused, resolveInside } from '../../platform/contained-path.ts'
import { transact } from '../../platform/db/transact.ts'
import { GitFailed } from '../../platform/git/git-failed.ts'
import { parseRepositoryAddress } from '../../platform/git/repository-address.ts'
import type { Conversation, Runtime } from '../../runtimes/runtime.ts'
import type { App } from '../app.ts'
import { cloneName, clonePath, runtimeHome, type SessionRow, updateSession } from '../sessions/session.ts'
import { TurnFailed } from './turn-failed.ts'

/**
 * Makes sure that the session has its clone and a conversation, and writes both down before any process starts: after a
 * crash the row knows what to look for.
 */
export async function prepare(
  app: App,
  session: SessionRow,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Conversation> {
  const clone = await ensureClone(app, session, signal)
  const workingDirectory = await findWorkingDirectory(clone, session.subdirectory)
  const home = runtimeHome(app, session.id)
  await mkdir(home, { recursive: true, mode: 0o700 })
  const conversation = { id: session.session_id ?? runtime.newConversationId(), home, workingDirectory }
  await transact(app.db, (tx) =>
    updateSession(tx, session.id, {
      session_id: conversation.id,
      metadata: { clone_path: clone, working_directory: workingDirectory },
    }),
  )
  return conversation
}

/** A folder at the clone's path is a whole clone: it is put there only when it is complete. */
async function ensureClone(app: App, session: SessionRow, signal: AbortSignal): Promise<string> {
  const path = clonePath(app, session.id)
  if (await isThere(path)) return path
  try {
    const address = parseRepositoryAddress(session.git_root)
    return (await app.clones.create({ name: cloneName(session.id), address, branch: session.branch, signal })).path
  } catch (error) {
    if (error instanceof GitFailed) throw new TurnFailed('git_clone_failed', error.message)
    throw error
  }
}

async function findWorkingDirectory(clone: string, subdirectory: string | null): Promise<string> {
  if (subdirectory === null) return clone
  try {
    return await resolveInside(clone, subdirectory, { mustBeDirectory: true })
  } catch (error) {
    if (error instanceof PathRefused) throw new TurnFailed('clone_validation_failed', error.message)
    throw error
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
