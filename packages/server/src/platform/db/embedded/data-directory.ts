import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { give } from '../../files/give.ts'
import { findUser, type SystemUser } from '../../home/system-user.ts'
import { errnoOf } from '../../process/errno.ts'
import { StartupError } from '../../startup-error.ts'
import type { Binaries } from './install-binaries.ts'
import { runTool } from './run-tool.ts'
import { failureSentence } from './start-failure.ts'

export const superuser = 'yardmaster'

/** One second on a good disk; a slow disk under load may need most of this. */
const createTimeoutMs = 120_000

/** Whether there is a data directory that these binaries can use. Throws on one that they cannot. */
export async function hasDataDirectory(
  data: string,
  expected: { major: string; runAs: SystemUser | undefined },
): Promise<boolean> {
  const owner = await ownerOf(data)
  if (owner === undefined) return false
  const serverUid = expected.runAs?.uid ?? process.geteuid?.()
  if (serverUid !== undefined && owner !== serverUid && !(await formerOwners(expected.runAs)).includes(owner)) {
    throw new StartupError(
      `The database in ${data} belongs to user ${owner}, and PostgreSQL runs as user ${serverUid}. Give it back with "chown -R ${serverUid} ${data}".`,
    )
  }
  const version = await readVersion(data)
  if (version === undefined) {
    // An empty folder counts as none. Other content is not ours to remove.
    if (await removeIfEmpty(data)) return false
    throw new StartupError(
      `${data} is not a PostgreSQL data directory (it has no PG_VERSION). Move it away and start again.`,
    )
  }
  if (version !== expected.major) {
    throw new StartupError(
      `The database in ${data} was made by PostgreSQL ${version}, and the embedded one is PostgreSQL ${expected.major}, which cannot read it. Dump it with version ${version} and restore it, or move the folder away to begin with an empty database.`,
    )
  }
  return true
}

/**
 * Earlier versions ran the server as `nobody`. Its data moves to the user of today, once. The server must not be running.
 * Returns whether there was anything to move.
 */
export async function moveDataTo(runAs: SystemUser, data: string): Promise<boolean> {
  const former = await formerOwners(runAs)
  const owner = await ownerOf(data)
  if (owner === undefined || !former.includes(owner)) return false
  await give(data, runAs, former)
  return true
}

async function formerOwners(runAs: SystemUser | undefined): Promise<number[]> {
  const former = runAs === undefined ? undefined : await findUser('nobody')
  return former === undefined || former.uid === runAs?.uid ? [] : [former.uid]
}

/** Created under another name and renamed when complete, so that a crash leaves nothing that looks like a database. */
export async function createDataDirectory(
  data: string,
  options: { binaries: Binaries; runAs: SystemUser | undefined; password: string },
): Promise<void> {
  const { runAs } = options
  await removeUnfinished(data)
  const unfinished = `${data}.new-${randomBytes(6).toString('hex')}`
  const passwordFile = `${unfinished}.password`
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordFile, options.password, { mode: 0o600 })
  if (runAs !== undefined) for (const path of [unfinished, passwordFile]) await chown(path, runAs.uid, runAs.gid)
  try {
    const { succeeded, output } = await runTool(
      options.binaries.initdb,
      [
        `--pgdata=${unfinished}`,
        `--username=${superuser}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // The builtin collation of PostgreSQL sorts the same on every operating system and does not depend on its
        // locales.
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--data-checksums',
        '--no-instructions',
      ],
      { runAs, timeoutMs: createTimeoutMs },
    )
    if (!succeeded)
      throw failureSentence(`PostgreSQL could not create a database in ${data}.`, output, { folder: data })
    await rename(unfinished, data)
    await flushFolder(dirname(data))
  } finally {
    await removeUnfinished(data)
  }
}

/** Single-user mode needs no password, so it can replace a lost one. The server must not be running. */
export async function resetPassword(
  data: string,
  options: { binaries: Binaries; runAs: SystemUser | undefined; password: string },
): Promise<void> {
  const { succeeded, output } = await runTool(options.binaries.postgres, ['--single', '-D', data, 'postgres'], {
    runAs: options.runAs,
    timeoutMs: createTimeoutMs,
    input: `alter role ${superuser} password '${options.password}'\n`,
  })
  if (!succeeded || output.includes('ERROR:')) {
    throw failureSentence(`PostgreSQL could not set a new password for the database in ${data}.`, output, {
      folder: data,
    })
  }
}

async function ownerOf(data: string): Promise<number | undefined> {
  try {
    return (await stat(data)).uid
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function removeIfEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  )
}

async function readVersion(data: string): Promise<string | undefined> {
  try {
    return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

async function removeUnfinished(data: string): Promise<void> {
  const folder = dirname(data)
  const names = (await readdir(folder)).filter((name) => join(folder, name).startsWith(`${data}.new-`))
  // An initdb that outlived its Yardmaster may still add files during the removal.
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true, maxRetries: 5 })))
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
