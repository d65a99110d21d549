import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { canEnter, type UnprivilegedUser } from '../../home/unprivileged-user.ts'

export type SocketDirectory = { path: string; remove(): Promise<void> }

/** Only part of the socket's name here: the directory is private, so there is nothing to collide with. */
export const socketPort = 5432

/** A socket's path has at most 103 bytes on macOS and 107 on Linux. */
const pathLimitBytes = 100

/** Beside the data; if that path is too long for a socket, a private folder for this run under the system's own. */
export async function makeSocketDirectory(
  serverFolder: string,
  runAs: UnprivilegedUser | undefined,
): Promise<SocketDirectory> {
  const beside = join(serverFolder, 'run')
  if (fits(beside)) {
    await mkdir(beside, { recursive: true, mode: 0o700 })
    await giveTo(runAs, beside)
    return { path: beside, remove: async () => undefined }
  }
  const parent = await temporaryFolder(runAs)
  // A fresh name each time: one that could be foretold could be taken by another user of this machine first.
  const apart = await mkdtemp(join(parent, shortPrefix))
  await giveTo(runAs, apart)
  return { path: apart, remove: () => rm(apart, { recursive: true, force: true }) }
}

/** What a Yardmaster that was killed could not remove, by the path its server had noted. */
export async function removeForsakenSocketDirectory(noted: string): Promise<void> {
  const path = resolve(noted)
  const isTemporary = [resolve(tmpdir()), '/tmp'].includes(dirname(path)) && basename(path).startsWith(shortPrefix)
  if (isTemporary) await rm(path, { recursive: true, force: true })
}

const shortPrefix = 'yardmaster-pg-'

async function temporaryFolder(runAs: UnprivilegedUser | undefined): Promise<string> {
  const usual = tmpdir()
  const isUsable = fits(join(usual, `${shortPrefix}123456`)) && (runAs === undefined || (await canEnter(runAs, usual)))
  return isUsable ? usual : '/tmp'
}

async function giveTo(runAs: UnprivilegedUser | undefined, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  if (runAs !== undefined) await chown(folder, runAs.uid, runAs.gid)
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) <= pathLimitBytes
}
