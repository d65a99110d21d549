import { constants } from 'node:fs'
import { chmod, chown, lchown, mkdir, open, symlink } from 'node:fs/promises'
import type { ReadEntry } from '../../platform/files/tar.ts'
import type { SystemUser } from '../../platform/home/system-user.ts'
import { BackupError } from './backup-error.ts'
import { isLeftOut } from './home-files.ts'

type Unpacker = {
  /** Writes a file or folder. */
  add(entry: ReadEntry): Promise<void>
  /** Makes the links and gives folders their permissions. */
  finish(): Promise<void>
}

/**
 * Writes the files of a backup into an empty home. Links are made last, so that none exists that a file could be written
 * through, and only in folders that this restore made, so that none is made through another one. A name that leads out of
 * the home, or that exists already, ends the restore.
 */
export function unpackInto(home: string, findOwner: (name: string) => Promise<SystemUser | undefined>): Unpacker {
  const folders: { place: Buffer; mode: number; owner: string }[] = []
  const links: { place: Buffer; target: Buffer; owner: string }[] = []
  const owners = new Map<string, Promise<SystemUser | undefined>>()
  const ownerOf = (name: string): Promise<SystemUser | undefined> => {
    const known = owners.get(name) ?? (name === '' ? Promise.resolve(undefined) : findOwner(name))
    owners.set(name, known)
    return known
  }
  return {
    add: async (entry) => {
      const place = placeOf(home, entry.path)
      const { mode, owner } = entry
      if (entry.type === 'link') return void links.push({ place, target: entry.target, owner })
      if (entry.type === 'folder') {
        await mkdir(place, { mode: 0o700 })
        return void folders.push({ place, mode, owner })
      }
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
      const file = await open(place, flags, 0o600)
      try {
        for await (const part of entry.content) await file.writeFile(part)
        // Never a bit that gives its user's rights to others.
        await file.chmod(mode & 0o777)
        const user = await ownerOf(owner)
        if (user) await file.chown(user.uid, user.gid)
        await file.utimes(entry.modifiedAt, entry.modifiedAt)
      } finally {
        await file.close()
      }
    },
    finish: async () => {
      const made = new Set([Buffer.from(home), ...folders.map(({ place }) => place)].map(byBytes))
      for (const { place, target, owner } of links) {
        refuseStrangeFolder(place, made)
        await symlink(target, place)
        const user = await ownerOf(owner)
        if (user) await lchown(place, user.uid, user.gid)
      }
      for (const { place, mode, owner } of folders.toReversed()) {
        const user = await ownerOf(owner)
        if (user) await chown(place, user.uid, user.gid)
        await chmod(place, mode & 0o777)
      }
    },
  }
}

/** No link can take the place of a folder that was made. */
function refuseStrangeFolder(place: Buffer, made: ReadonlySet<string>): void {
  const folder = byBytes(place.subarray(0, place.lastIndexOf('/')))
  if (!made.has(folder))
    throw new BackupError(`The backup has a link in the folder ${JSON.stringify(folder)}, which it does not hold.`)
}

function byBytes(name: Buffer): string {
  return name.toString('latin1')
}

/** By bytes, because a name need not be text. */
function placeOf(home: string, path: Buffer): Buffer {
  const text = byBytes(path).replace(/\/$/, '')
  const [first, ...rest] = text.split('/')
  const isInside =
    rest.length > 0 && rest.every((part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'))
  // Some file systems make no difference between upper and lower case.
  if (first !== 'home' || !isInside || isLeftOut(rest.join('/').toLowerCase()))
    throw new BackupError(
      `The backup has a file with the name ${JSON.stringify(text)}, which does not belong into a home.`,
    )
  return Buffer.concat([Buffer.from(home), Buffer.from(`/${rest.join('/')}`, 'latin1')])
}
