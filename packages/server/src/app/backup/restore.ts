import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { tryFileLock } from '../../platform/concurrency/file-lock.ts'
import { startEmbeddedPostgres } from '../../platform/db/embedded/embedded-postgres.ts'
import { refuseUnknownBackup } from '../../platform/db/migrate.ts'
import { writePrivateFile } from '../../platform/files/private-file.ts'
import { unfinishedRestore } from '../../platform/home/home.ts'
import { prepareHomeFolder } from '../../platform/home/home-folder.ts'
import { findUser } from '../../platform/home/system-user.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { keyFileName, readKeyFile, readMasterKeys } from '../../platform/vault/master-key.ts'
import { BackupError, explained } from './backup-error.ts'
import { loadInto, refuseFilledDatabase } from './load-database.ts'
import { endName, type Manifest, manifestName } from './manifest.ts'
import { backupEntries, checkBackup } from './read-backup.ts'
import { unpackInto } from './unpack-home.ts'

export type RestoreOptions = {
  home: string
  databaseUrl: string | undefined
  file: string
  /** Moves a home that is there aside instead of refusing. */
  isForced?: boolean
  /** Leaves the database alone, for the further hosts of one database. */
  isHomeOnly?: boolean
  /** The keys of the environment. */
  masterKey?: string | undefined
  onProgress?(sentence: string): void
}

type Rows = NonNullable<Manifest['database']>

export type RestoreResult = {
  createdAt: string
  version: string
  movedTo: string | undefined
  /** What to do before the start, if this machine lacks a key of the restored credentials. */
  missingKey: string | undefined
}

/**
 * Makes a home and a database of a backup. Refuses before it changes anything if the file is not whole or too new, if the home
 * is in use or not empty, or if the database is not empty or not there. A home that was not restored to the end says so, and no
 * Yardmaster starts on it.
 */
export async function restore(options: RestoreOptions): Promise<RestoreResult> {
  const { databaseUrl, isForced = false, isHomeOnly = false, onProgress = () => undefined } = options
  const file = resolve(options.file)
  const wanted = resolve(options.home)
  onProgress('reading the backup')
  const manifest = await checkBackup(file)
  if (!manifest.database && !isHomeOnly)
    throw new BackupError(`${file} has no database: it is the backup of a further host. Restore it with --home-only.`)
  const rows = isHomeOnly ? null : manifest.database
  if (rows) await refuseRows(rows, databaseUrl)
  return explained(`The home ${wanted} cannot be restored`, async () => {
    const movedTo = await makeRoom(wanted, isForced)
    await mkdir(dirname(wanted), { recursive: true })
    const home = await prepareHomeFolder(wanted)
    const lock = await tryFileLock(join(home, 'home.lock'))
    if ('heldBy' in lock) throw inUse(wanted, lock.heldBy.pid)
    const marker = join(home, unfinishedRestore)
    try {
      await writePrivateFile(marker, `${file}\n`)
      onProgress('writing the home')
      await writeHome(home, file)
      if (rows) await writeDatabase(home, file, rows, { databaseUrl, onProgress })
      await rm(marker)
    } finally {
      await lock.release()
    }
    const missingKey = await sentenceOnKeys(home, manifest, options.masterKey)
    return { createdAt: manifest.createdAt, version: manifest.version, movedTo, missingKey }
  })
}

async function refuseRows({ digests }: Rows, databaseUrl: string | undefined): Promise<void> {
  await refuseUnknownBackup(digests)
  if (databaseUrl !== undefined) await refuseFilledDatabase(databaseUrl)
}

async function sentenceOnKeys(
  home: string,
  { database }: Manifest,
  given: string | undefined,
): Promise<string | undefined> {
  const file = join(home, keyFileName)
  const keys = given === undefined ? await readKeyFile(file) : readMasterKeys(given)
  const missing = database?.vaultKeys.find((id) => !keys?.some((key) => key.id === id))
  if (missing === undefined) return undefined
  return `Its credentials are sealed by a key that is not in the backup (${missing}): before the start, put the file ${keyFileName} of the old home at ${file}, or set YARDMASTER_MASTER_KEY.`
}

/** Returns where the home that was there is now; undefined if there was none. */
async function makeRoom(home: string, isForced: boolean): Promise<string | undefined> {
  const names = await readdir(home).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  if (names.length === 0) return undefined
  const lock = await tryFileLock(join(home, 'home.lock'))
  if ('heldBy' in lock) throw inUse(home, lock.heldBy.pid)
  await lock.release()
  if (!isForced)
    throw new BackupError(
      `The home ${home} is not empty. Set YARDMASTER_HOME to another folder, or add --force: the home that is there is then moved aside.`,
    )
  const aside = `${home}.before-restore-${new Date().toISOString().replaceAll(/[-:]|\..*/g, '')}`
  await rename(home, aside)
  return aside
}

function inUse(home: string, pid: number): BackupError {
  return new BackupError(`A Yardmaster (process ${pid}) runs on the home ${home}. Stop it first.`)
}

async function writeHome(home: string, file: string): Promise<void> {
  const files = unpackInto(home, process.geteuid?.() === 0 ? findUser : async () => undefined)
  for await (const entry of backupEntries(file)) if (entry.path.toString().startsWith('home/')) await files.add(entry)
  await files.finish()
}

async function writeDatabase(
  home: string,
  file: string,
  dumped: Rows,
  { databaseUrl, onProgress }: Required<Pick<RestoreOptions, 'onProgress'>> & Pick<RestoreOptions, 'databaseUrl'>,
): Promise<void> {
  onProgress('writing the database')
  const quiet = { info: () => undefined, warn: () => undefined }
  const server = databaseUrl === undefined ? await startEmbeddedPostgres({ home, log: quiet }) : undefined
  try {
    const rows = await loadInto(databaseUrl ?? server?.connectionString ?? '', dumped)
    try {
      for await (const entry of backupEntries(file)) {
        const name = entry.path.toString()
        if (name !== manifestName && name !== endName && !name.startsWith('home/')) await rows.add(entry)
      }
      await rows.finish()
    } catch (error) {
      await rows.abandon()
      throw error
    }
  } finally {
    await server?.stop()
  }
}
