import { chmod, copyFile, lstat, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceUntrusted, takeUntrusted } from '../../platform/files/untrusted-folder.ts'
import { keptFolder } from '../kept-folder.ts'
import type { Conversation } from '../runtime.ts'
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

/** Between turns the login is where no agent finds it. It is kept, because codex may have renewed it. */
export async function putLoginAway({ home }: Home): Promise<void> {
  await takeUntrusted(loginFile({ home }), keptLogin(home), { within: home })
}

function loginFile(conversation: Home): string {
  return join(codexHome(conversation), 'auth.json')
}

function keptLogin(home: string): string {
  return join(keptFolder(home), 'auth.json')
}
