import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { canEnter, type SystemUser } from '../../home/system-user.ts'

export type SocketDirectory = { path: string; remove(): Promise<void> }

/** Only a part of the socket's file name. The directory is private, so nothing collides with it. */
export const socketPort = 5432

/** The path of a socket has at most 103 bytes on macOS and 107 on Linux. */
const pathLimitBytes = 100

/** Beside the data. If that path is too long for a socket, a private temporary folder for this run. */
export async function makeSocketDirectory(
  serverFolder: string,
  runAs: SystemUser | undefined,
): Promise<SocketDirectory> {
  const beside = join(serverFolder, 'run')
  if (fits(beside)) {
    await mkdir(beside, { recursive: true, mode: 0o700 })
    await giveTo(runAs, beside)
    return { path: beside, remove: async () => undefined }
  }
  const parent = await temporaryFolder(runAs)
  // A random name: another user of this machine could create a predictable one first.
  const temporary = await mkdtemp(join(parent, shortPrefix))
  await giveTo(runAs, temporary)
  return { path: temporary, remove: () => rm(temporary, { recursive: true, force: true }) }
}

/** Removes the folder that a killed Yardmaster left, by the path in its postmaster.pid. */
export async function removeAbandonedSocketDirectory(noted: string): Promise<void> {
  const path = resolve(noted)
  const isTemporary = [resolve(tmpdir()), '/tmp'].includes(dirname(path)) && basename(path).startsWith(shortPrefix)
  if (isTemporary) await rm(path, { recursive: true, force: true })
}

const shortPrefix = 'yardmaster-pg-'

async function temporaryFolder(runAs: SystemUser | undefined): Promise<string> {
  const usual = tmpdir()
  const isUsable = fits(join(usual, `${shortPrefix}123456`)) && (runAs === undefined || (await canEnter(runAs, usual)))
  return isUsable ? usual : '/tmp'
}

async function giveTo(runAs: SystemUser | undefined, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  if (runAs !== undefined) await chown(folder, runAs.uid, runAs.gid)
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, `.s.PGSQL.${socketPort}`)) <= pathLimitBytes
}
