import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canEnter, type SystemUser } from '../../home/system-user.ts'
import { errnoOf } from '../../process/errno.ts'
import { StartupError } from '../../startup-error.ts'

/**
 * The folder of the database server: `<home>/postgres`. As root the server runs as another user. If that user cannot
 * enter the home, often because of one of its parents, the folder is under /var/lib, with a name derived from the path
 * of the home. Existing data takes precedence over permissions, so that a chmod between two starts never leads to an
 * empty database. A note in the home records data that is elsewhere.
 */
export type ServerFolder = { path: string; isUnderHome: boolean }

const elsewhere = '/var/lib/yardmaster-postgres'

export async function chooseServerFolder(home: string, runAs: SystemUser | undefined): Promise<ServerFolder> {
  const inside = join(home, 'postgres')
  await makeFolder(inside, runAs)
  if (runAs === undefined) return { path: inside, isUnderHome: true }
  await renameOldNote(inside)

  const isOpen = await canEnter(runAs, inside)
  if (await holdsData(inside)) {
    if (isOpen) return { path: inside, isUnderHome: true }
    throw new StartupError(
      `The database in ${inside} runs as the user ${runAs.name}, who can no longer enter that folder. Restore the permission to pass through it and its parents (chmod o+x).`,
    )
  }
  const outside = join(elsewhere, createHash('sha256').update(home).digest('hex').slice(0, 16))
  if (!(await holdsData(outside))) {
    const recorded = await readNote(inside)
    if (recorded !== undefined) throw lost(recorded, outside, inside)
    if (isOpen) return { path: inside, isUnderHome: true }
  }
  await mkdir(dirname(elsewhere), { recursive: true })
  await makeFolder(elsewhere, runAs)
  await makeFolder(outside, runAs)
  if (await canEnter(runAs, outside)) return { path: outside, isUnderHome: false }
  throw new StartupError(
    `As root, the embedded PostgreSQL runs as the user ${runAs.name}, who can enter neither ${inside} nor ${outside}. Set YARDMASTER_HOME to a folder that user can pass through, or set DATABASE_URL.`,
  )
}

/** Call it once there is data. The next start looks for it there, or reports that it is missing. */
export async function noteServerFolder(home: string, folder: ServerFolder): Promise<void> {
  const inside = join(home, 'postgres')
  if (folder.isUnderHome || (await readNote(inside)) === folder.path) return
  await writeFile(noteFile(inside), `${folder.path}\n`, { mode: 0o600 })
}

async function makeFolder(path: string, runAs: SystemUser | undefined): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return
    throw error
  }
  // The user of the server can pass through to its own folders and list nothing.
  if (runAs !== undefined) await chmod(path, 0o711)
}

async function holdsData(folder: string): Promise<boolean> {
  return lstat(join(folder, 'data')).then(
    () => true,
    () => false,
  )
}

function noteFile(inside: string): string {
  return join(inside, 'data-location')
}

/** Earlier versions gave the note another name. */
async function renameOldNote(inside: string): Promise<void> {
  try {
    await rename(join(inside, 'data-lies-elsewhere'), noteFile(inside))
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

async function readNote(inside: string): Promise<string | undefined> {
  try {
    return (await readFile(noteFile(inside), 'utf8')).trim()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

function lost(recorded: string, expected: string, inside: string): StartupError {
  const advice =
    recorded === expected
      ? 'bring it back'
      : `the home was at another path then; if it was moved and not copied, move the database to ${expected}`
  return new StartupError(
    `The database of this home was kept in ${recorded}: ${advice}, or remove ${noteFile(inside)} to begin with an empty one.`,
  )
}
