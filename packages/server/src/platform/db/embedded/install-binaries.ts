import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, link, lstat, mkdir, open, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { UnprivilegedUser } from '../../home/unprivileged-user.ts'
import { errnoOf } from '../../process/errno.ts'
import { StartupError } from '../../startup-error.ts'
import type { BinaryPackage } from './binary-package.ts'
import { runTool } from './run-tool.ts'

export type Binaries = { initdb: string; postgres: string }

/**
 * Puts PostgreSQL's programs into a folder of ours, once per version. Their libraries need links that the package makes
 * in an install script, which npm may not have run; node_modules may be read-only, and closed to the user that runs the
 * server. Hard links where they are possible (20 ms, no space), copies elsewhere (57 MB, a fraction of a second).
 */
export async function installBinaries(
  source: BinaryPackage,
  options: { folder: string; runAs: UnprivilegedUser | undefined },
): Promise<Binaries> {
  // With the platform: a home may lie on a volume that is carried from one machine to another.
  const installed = join(options.folder, `bin-${source.version}-${process.platform}-${process.arch}`)
  if (await exists(installed)) return programs(installed)
  await removeOtherVersions(options.folder)
  const unfinished = `${installed}.new-${randomBytes(6).toString('hex')}`
  try {
    await plant(join(source.folder, 'native'), unfinished)
    await makeLibraryLinks(source, unfinished)
    await tryOut(programs(unfinished), options.runAs)
    await rename(unfinished, installed)
  } catch (error) {
    // On a full disk, half an installation is the last thing to leave behind.
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  return programs(installed)
}

function programs(folder: string): Binaries {
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres') }
}

/** Also what an installation left that did not finish. No server runs from them: the caller ended it before. */
async function removeOtherVersions(folder: string): Promise<void> {
  const names = await readdir(folder)
  await Promise.all(
    names
      .filter((name) => name.startsWith('bin-'))
      .map((name) => rm(join(folder, name), { recursive: true, force: true })),
  )
}

/** For compiling extensions; 5 MB that nobody runs. */
const leftOut = new Set(['pkgconfig', 'pgxs', 'include'])

async function plant(from: string, to: string): Promise<void> {
  const files = await layOut(from, to)
  const plantNext = async () => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) await plantFile(file)
  }
  // All have to be done, also when one failed: the caller clears the ground then.
  const outcomes = await Promise.allSettled(Array.from({ length: plantersAtOnce }, plantNext))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** A copied file is flushed, and the disk writes several at once for the price of one. */
const plantersAtOnce = 8

type FileToPlant = { source: string; target: string }

/** Makes the folders and the links, and lists the files that remain. */
async function layOut(from: string, to: string): Promise<FileToPlant[]> {
  await mkdir(to)
  // Whatever our umask: the server's user has to get in, and there is nothing secret here.
  await chmod(to, 0o755)
  const files: FileToPlant[] = []
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (leftOut.has(entry.name) || entry.name.endsWith('.a')) continue
    if (entry.isDirectory()) files.push(...(await layOut(source, target)))
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else files.push({ source, target })
  }
  return files
}

async function plantFile({ source, target }: FileToPlant): Promise<void> {
  const { mode } = await lstat(source)
  // A hard link shares the permissions of its file, and those are not ours to change.
  const isReadableByAll = (mode & 0o444) === 0o444
  if (isReadableByAll && (await linkIfPossible(source, target))) return
  await copyFile(source, target, constants.COPYFILE_FICLONE)
  await chmod(target, mode | 0o444 | ((mode & 0o100) !== 0 ? 0o111 : 0))
  await flush(target)
}

const linkRefusals = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Not across file systems, not on every file system, and on Linux not for files of other users. */
async function linkIfPossible(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
    return true
  } catch (error) {
    if (linkRefusals.has(errnoOf(error) ?? '')) return false
    throw error
  }
}

/** The rename that completes the installation must not reach the disk before the files do. */
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

/** A wrong C library, a missing one or a file system that does not let programs run shows here, once, and not in riddles. */
async function tryOut(binaries: Binaries, runAs: UnprivilegedUser | undefined): Promise<void> {
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
