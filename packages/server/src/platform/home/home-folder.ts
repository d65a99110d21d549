import { constants } from 'node:fs'
import { access, chmod, chown, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from '../process/errno.ts'
import { StartupError } from '../startup-error.ts'
import { findUser, systemUser } from './system-user.ts'

/** Creates the home if it is missing and returns its real path. An existing folder keeps its permissions. */
export async function prepareHomeFolder(path: string): Promise<string> {
  if (!(await makeFolder(path))) await checkFolder(path)
  return realpath(path)
}

/** Turns errors of the operating system about the home into a sentence. Rethrows every other error. */
export async function explainUnusable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = reasons[errnoOf(error) ?? '']
    if (reason === undefined) throw error
    throw new StartupError(`The home folder ${path} cannot be used: ${reason}. Set YARDMASTER_HOME to another folder.`)
  }
}

/** False when the folder exists already. */
async function makeFolder(path: string): Promise<boolean> {
  // mkdir reports a dangling link or a file in the path. Only the home itself is private; its parents are ordinary.
  await mkdir(dirname(path), { recursive: true })
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
  await openToOwnUsers(path)
  return true
}

/**
 * As root, the database and agents run as other users, who must pass through the home to their own folders. Their group may
 * enter the home but not list it.
 */
async function openToOwnUsers(path: string): Promise<void> {
  const user = await systemUser('postgres')
  if (user === undefined) return
  await chown(path, 0, user.gid)
  await chmod(path, 0o710)
}

async function checkFolder(path: string): Promise<void> {
  const found = await stat(path)
  if (!found.isDirectory())
    throw new StartupError(`The home ${path} is not a directory. Set YARDMASTER_HOME to another folder.`)
  if (process.geteuid !== undefined && found.uid !== process.geteuid()) {
    throw new StartupError(
      `The home folder ${path} belongs to user ${found.uid}, not to user ${process.geteuid()}, which Yardmaster runs as. Set YARDMASTER_HOME to a folder of your own.`,
    )
  }
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  // Earlier versions opened it to `nobody`.
  const former = process.geteuid?.() === 0 ? await findUser('nobody') : undefined
  if (former !== undefined && found.gid === former.gid && (found.mode & 0o777) === 0o710) await openToOwnUsers(path)
}

const reasons: Record<string, string> = {
  EACCES: 'it is not writable for this user',
  EPERM: 'it is not writable for this user',
  EROFS: 'it is on a read-only file system',
  ENOTDIR: 'a part of its path is not a directory',
  EEXIST: 'a part of its path is not a directory',
  ENOENT: 'it is a link to nowhere',
  ELOOP: 'its path is a loop of links',
  ENAMETOOLONG: 'its path is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}
