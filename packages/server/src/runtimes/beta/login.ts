import { chmod, copyFile, lstat, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readIfPresent, writePrivateFile } from '../../platform/files/private-file.ts'
import {
  removeUntrusted,
  replaceUntrusted,
  takeUntrusted,
  writeUntrusted,
} from '../../platform/files/untrusted-folder.ts'
import type { ServedLogin } from '../accounts/vendor-accounts.ts'
import { keptFolder } from '../kept-folder.ts'
import type { Conversation } from '../runtime.ts'
import { loginFile as loginText } from './accounts.ts'
import { codexHome } from './codex-home.ts'
import type { Access } from './config-toml.ts'
import { ifMissing } from './if-missing.ts'

type Home = Pick<Conversation, 'home'>

/** Writes the login of a turn that starts: of the account that serves it, or of the host. */
export async function placeLogin(
  { login, authFile }: Pick<Access, 'login' | 'authFile'>,
  { home }: Home,
): Promise<void> {
  // What is left of a turn whose secrets could not be removed belongs to the note of that turn.
  await putLoginAway({ home })
  const owner: Owner = login ? 'account' : authFile === undefined ? 'none' : 'host'
  await writePrivateFile(ownerNote(home), owner)
  if (login) await serveLogin(login, { home })
  else if (authFile !== undefined) await copyLogin(authFile, { home })
}

/**
 * Copies the operator's login to the session's home, unless the session's own is newer: codex renews its copy, and an
 * older one would sign it out.
 */
async function copyLogin(authFile: string, { home }: Home): Promise<void> {
  const copy = loginFile({ home })
  const kept = keptLogin(home)
  const source = await stat(authFile).catch(ifMissing)
  const isCurrent = async (path: string): Promise<boolean> => {
    const found = await lstat(path).catch(ifMissing)
    return found?.isFile() === true && (!source || found.mtimeMs >= source.mtimeMs)
  }
  if (await isCurrent(kept)) await replaceUntrusted(copy, { within: home }, (draft) => rename(kept, draft))
  else if (source) {
    await replaceUntrusted(copy, { within: home }, async (draft) => {
      await copyFile(authFile, draft)
      await chmod(draft, 0o600)
    })
  }
}

/**
 * Writes the login of the account that serves the turn, without its refresh token: a second user of it would sign out all the
 * others. Nothing of the file is kept: another account may serve the next turn.
 */
async function serveLogin(login: ServedLogin, { home }: Home): Promise<void> {
  await writeUntrusted(loginFile({ home }), loginText(login), { within: home })
}

/**
 * Between turns the login is where no agent finds it. Only the host's is kept, because codex may have renewed it. What an agent
 * wrote in a turn that had another login, or none, is never taken for one.
 */
export async function putLoginAway({ home }: Home): Promise<void> {
  const owner = (await readIfPresent(ownerNote(home))) ?? (await ownerBefore({ home }))
  if (owner === 'host') await takeUntrusted(loginFile({ home }), keptLogin(home), { within: home })
  else await removeUntrusted(loginFile({ home }), { within: home })
  await removeUntrusted(formerNote({ home }), { within: home })
}

/** Whose login a start writes. The note stays until the next start. */
type Owner = 'account' | 'host' | 'none'

/** Of a turn that an older version started: its note lay where the agent can write, and the host's login had none. */
async function ownerBefore({ home }: Home): Promise<Owner> {
  return (await lstat(formerNote({ home })).catch(ifMissing)) === undefined ? 'host' : 'account'
}

function loginFile(conversation: Home): string {
  return join(codexHome(conversation), 'auth.json')
}

function formerNote(conversation: Home): string {
  return join(codexHome(conversation), 'yardmaster-served-login')
}

function keptLogin(home: string): string {
  return join(keptFolder(home), 'auth.json')
}

function ownerNote(home: string): string {
  return join(keptFolder(home), 'login-owner')
}
