import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivateFile } from '../../platform/files/private-file.ts'
import { readUntrusted } from '../../platform/files/untrusted-file.ts'
import type { Equipment } from '../equipment.ts'
import type { Conversation } from '../runtime.ts'
import { type Access, configToml } from './config-toml.ts'
import { copyLogin } from './login.ts'

/** This session's CODEX_HOME, with codex's configuration, login and conversations. */
export function codexHome({ home }: Pick<Conversation, 'home'>): string {
  return join(home, '.codex')
}

/** Writes the configuration and the login. Codex changes both files, so this happens before every start. */
export async function prepareHome(access: Access, conversation: Conversation, equipment: Equipment): Promise<void> {
  const folder = codexHome(conversation)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writePrivateFile(join(folder, 'config.toml'), configToml(access, conversation, equipment))
  if (access.authFile !== undefined) await copyLogin(access.authFile, join(folder, 'auth.json'))
}

/**
 * Notes for the next turn.
 *
 * `named-thread` is the id of a thread that has no rollout yet. A crash between naming the thread and its first turn leaves an
 * id that codex does not know; the next turn then starts a new thread and loses nothing.
 *
 * `instructions` are the last ones that the thread got. If the note is missing, codex reads them when it opens the thread.
 */
type Note = 'named-thread' | 'instructions'

export async function readNote(conversation: Conversation, name: Note): Promise<string | undefined> {
  return readUntrusted(notePath(conversation, name), { within: conversation.home })
}

export async function writeNote(conversation: Conversation, name: Note, text: string): Promise<void> {
  await writePrivateFile(notePath(conversation, name), text)
}

export async function removeNote(conversation: Conversation, name: Note): Promise<void> {
  await rm(notePath(conversation, name), { force: true })
}

function notePath(conversation: Conversation, name: Note): string {
  return join(codexHome(conversation), `yardmaster-${name}`)
}
