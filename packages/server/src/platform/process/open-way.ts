import { chmod, chown, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SystemUser } from '../home/system-user.ts'

/** The first folder on the way to a path that the user may not pass through. */
export async function firstBarred(path: string, { uid, gid }: SystemUser): Promise<string | undefined> {
  const parts = dirname(path).split('/').filter(Boolean)
  for (let count = 1; count <= parts.length; count += 1) {
    const folder = `/${parts.slice(0, count).join('/')}`
    const found = await stat(folder)
    const pass = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001
    if ((found.mode & pass) === 0) return folder
  }
  return undefined
}

/**
 * Lets the user pass through the folders of root above a path, without listing them, and no other user: a folder whose group
 * has no rights gets the user's group, which may pass. A folder whose group has rights stays as it is. Returns a sentence
 * for each folder that was changed.
 */
export async function openWayTo(path: string, user: SystemUser): Promise<string[]> {
  const real = await realpath(path).catch(() => undefined)
  const sentences: string[] = []
  for (;;) {
    const folder = real === undefined ? undefined : await firstBarred(real, user)
    if (folder === undefined) return sentences
    const { uid, mode } = await stat(folder)
    if (uid !== 0 || (mode & 0o070) !== 0) return sentences
    await chown(folder, 0, user.gid)
    await chmod(folder, (mode & 0o7777) | 0o010)
    sentences.push(
      `the group of ${user.name} may now pass through ${folder}, because agents cannot be confined on this host`,
    )
  }
}
