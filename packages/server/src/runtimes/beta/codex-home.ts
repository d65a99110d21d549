import { chmod, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errnoOf } from '../../platform/process/errno.ts'
import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { type Access, configToml } from './config-toml.ts'

/** Where the agent keeps its configuration, its login and its conversations: this session's alone. */
export function codexHome({ home }: Pick<Conversation, 'home'>): string {
  return join(home, '.codex')
}

/** Configuration and login as they are now. The agent writes to its own, so both are laid down before every start. */
export async function prepareHome(access: Access, conversation: Conversation, equipment: Equipment): Promise<void> {
  const folder = codexHome(conversation)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writePrivately(join(folder, 'config.toml'), configToml(access, conversation, equipment))
  if (access.authFile !== undefined) await lendLogin(access.authFile, join(folder, 'auth.json'))
}

export async function writePrivately(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 })
  await chmod(path, 0o600) // the mode above is for new files only
}

/** The agent may have renewed its copy; an older one would sign it out. */
async function lendLogin(authFile: string, copy: string): Promise<void> {
  const [given, own] = await Promise.all([stat(authFile).catch(ifMissing), stat(copy).catch(ifMissing)])
  if (!given || (own && own.mtimeMs >= given.mtimeMs)) return
  await copyFile(authFile, copy)
  await chmod(copy, 0o600)
}

/**
 * Notes to the next start of an agent here.
 *
 * `named-thread` is a thread that has no rollout yet. Whoever dies between naming it and its first turn leaves a name that
 * codex does not know, and nothing is lost by taking a new one.
 *
 * `instructions` are those that the thread was last given. Where they are missing, codex gives them by itself.
 */
type Note = 'named-thread' | 'instructions'

export async function readNote(conversation: Conversation, name: Note): Promise<string | undefined> {
  return readFile(notePath(conversation, name), 'utf8').catch(ifMissing)
}

export async function writeNote(conversation: Conversation, name: Note, text: string): Promise<void> {
  await mkdir(codexHome(conversation), { recursive: true, mode: 0o700 })
  await writePrivately(notePath(conversation, name), text)
}

export async function removeNote(conversation: Conversation, name: Note): Promise<void> {
  await rm(notePath(conversation, name), { force: true })
}

function notePath(conversation: Conversation, name: Note): string {
  return join(codexHome(conversation), `yardmaster-${name}`)
}

export function ifMissing(error: unknown): undefined {
  if (errnoOf(error) === 'ENOENT') return undefined
  throw error
}
