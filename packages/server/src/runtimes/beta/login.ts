import { chmod, copyFile, lstat, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
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
import { ifMissing } from './if-missing.ts'

type Home = Pick<Conversation, 'home'>

/**
 * Copies the operator's login to the session's home, unless the session's own is newer: codex renews its copy, and an
 * older one would sign it out.
 */
export async function copyLogin(authFile: string, { home }: Home): Promise<void> {
  const copy = loginFile({ home })
  const kept = keptLogin(home)
  const source = await stat(authFile).catch(ifMissing)
  const isCurrent = async (path: string): Promise<boolean> => {
    const found = await lstat(path).catch(ifMissing)
    return found?.isFile() === true && (!source || found.mtimeMs >= source.mtimeMs)
  }
  if (await isCurrent(copy)) return
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
 * others. The note says that nothing of the file is kept: another account may serve the next turn, and what an agent could
 * have written is never taken for a login.
 */
export async function serveLogin(login: ServedLogin, { home }: Home): Promise<void> {
  await writeUntrusted(servedNote({ home }), '', { within: home })
  await writeUntrusted(loginFile({ home }), loginText(login), { within: home })
}

/** Between turns the login is where no agent finds it. The host's is kept, because codex may have renewed it. */
export async function putLoginAway({ home }: Home): Promise<void> {
  if ((await lstat(servedNote({ home })).catch(ifMissing)) !== undefined) {
    await removeUntrusted(loginFile({ home }), { within: home })
    await removeUntrusted(servedNote({ home }), { within: home })
    return
  }
  await takeUntrusted(loginFile({ home }), keptLogin(home), { within: home })
}

function loginFile(conversation: Home): string {
  return join(codexHome(conversation), 'auth.json')
}

function servedNote(conversation: Home): string {
  return join(codexHome(conversation), 'yardmaster-served-login')
}

function keptLogin(home: string): string {
  return join(keptFolder(home), 'auth.json')
}
