import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, link, lstat, mkdir, open, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SystemUser } from '../../home/system-user.ts'
import { errnoOf } from '../../process/errno.ts'
import { StartupError } from '../../startup-error.ts'
import type { BinaryPackage } from './binary-package.ts'
import { runTool } from './run-tool.ts'

export type Binaries = { initdb: string; postgres: string }

/**
 * Installs the PostgreSQL programs into a folder of ours, once per version. Their libraries need links that an install
 * script of the package creates, which npm may not have run. node_modules may be read-only, and inaccessible to the
 * user that runs the server. Uses hard links where possible (20 ms, no space), and copies elsewhere (57 MB, a fraction
 * of a second).
 */
export async function installBinaries(
  source: BinaryPackage,
  options: { folder: string; runAs: SystemUser | undefined },
): Promise<Binaries> {
  // Includes the platform: a home may be on a volume that moves between machines.
  const installed = join(options.folder, `bin-${source.version}-${process.platform}-${process.arch}`)
  if (await exists(installed)) return programs(installed)
  await removeOtherVersions(options.folder)
  const unfinished = `${installed}.new-${randomBytes(6).toString('hex')}`
  try {
    await installFiles(join(source.folder, 'native'), unfinished)
    await makeLibraryLinks(source, unfinished)
    await checkThatItRuns(programs(unfinished), options.runAs)
    await rename(unfinished, installed)
  } catch (error) {
    // Remove the partial installation, above all on a full disk.
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  return programs(installed)
}

function programs(folder: string): Binaries {
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
}

/** Removes partial installations too. No server runs from these folders: the caller has stopped it. */
async function removeOtherVersions(folder: string): Promise<void> {
  const names = await readdir(folder)
  await Promise.all(
    names
      .filter((name) => name.startsWith('bin-'))
      .map((name) => rm(join(folder, name), { recursive: true, force: true })),
  )
}

/** Only needed to compile extensions; 5 MB. */
const leftOut = new Set(['pkgconfig', 'pgxs', 'include'])

async function installFiles(from: string, to: string): Promise<void> {
  const files = await createFolders(from, to)
  const installNext = async () => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) await installFile(file)
  }
  // Wait for all, even if one fails: the caller then removes the folder.
  const outcomes = await Promise.allSettled(Array.from({ length: concurrentInstalls }, installNext))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** Copied files are flushed, and the disk writes several at the cost of one. */
const concurrentInstalls = 8

type FileToInstall = { source: string; target: string }

/** Creates the folders and links, and returns the remaining files. */
async function createFolders(from: string, to: string): Promise<FileToInstall[]> {
  await mkdir(to)
  // Independent of our umask: the user of the server needs access, and nothing here is secret.
  await chmod(to, 0o755)
  const files: FileToInstall[] = []
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (leftOut.has(entry.name) || entry.name.endsWith('.a')) continue
    if (entry.isDirectory()) files.push(...(await createFolders(source, target)))
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else files.push({ source, target })
  }
  return files
}

async function installFile({ source, target }: FileToInstall): Promise<void> {
  const { mode } = await lstat(source)
  // A hard link shares the permissions of its file, which are not ours to change.
  const isReadableByAll = (mode & 0o444) === 0o444
  if (isReadableByAll && (await linkIfPossible(source, target))) return
  await copyFile(source, target, constants.COPYFILE_FICLONE)
  await chmod(target, mode | 0o444 | ((mode & 0o100) !== 0 ? 0o111 : 0))
  await flush(target)
}

const linkRefusals = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Hard links fail across file systems, on some file systems, and on Linux for files of other users. */
async function linkIfPossible(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
    return true
  } catch (error) {
    if (linkRefusals.has(errnoOf(error) ?? '')) return false
    throw error
  }
}

/** The files must reach the disk before the rename that completes the installation. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.datasync()
  } finally {
    await file.close()
  }
}

async function makeLibraryLinks(source: BinaryPackage, folder: string): Promise<void> {
  for (const { source: library, target } of source.links) {
    const place = join(folder, target.slice('native/'.length))
    if (dirname(library) !== dirname(target))
      throw new Error(`library link ${target} leads out of its folder: ${library}`)
    await symlink(basename(library), place).catch((error) => {
      if (errnoOf(error) !== 'EEXIST') throw error
    })
  }
}

/** Detects a wrong or missing C library, or a file system without execute permission, before the first real use. */
async function checkThatItRuns(binaries: Binaries, runAs: SystemUser | undefined): Promise<void> {
  const { succeeded, output } = await runTool(binaries.postgres, ['-V'], { runAs, timeoutMs: 30_000 })
  if (succeeded) return
  throw new StartupError(
    `The embedded PostgreSQL does not run on this machine (${process.platform}-${process.arch}): ${output.split('\n')[0]}. Set DATABASE_URL to a PostgreSQL 15 or later.`,
  )
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
