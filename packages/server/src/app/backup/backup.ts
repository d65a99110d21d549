import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { link, lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type pg from 'pg'
import { flushFolder } from '../../platform/files/flush-folder.ts'
import { fileEntry, paddingOf, tarEnd, tarHeader } from '../../platform/files/tar.ts'
import { findUser } from '../../platform/home/system-user.ts'
import { errnoOf } from '../../platform/process/errno.ts'
import { keyFileName, readKeyFile } from '../../platform/vault/master-key.ts'
import { version } from '../../platform/version.ts'
import { BackupError, explained } from './backup-error.ts'
import {
  beginSnapshot,
  dumpTable,
  endSnapshot,
  listTables,
  readDigests,
  readSequences,
  readVaultKeys,
} from './dump-database.ts'
import { homeFiles } from './home-files.ts'
import { endName, type Manifest, manifestName, sequencesName } from './manifest.ts'
import { openDatabaseOf } from './open-database.ts'

export type BackupOptions = {
  home: string
  databaseUrl: string | undefined
  file: string
  /** Leaves the database out, for the further hosts of one database. */
  isHomeOnly?: boolean
  /** Leaves the master key out: who has the file cannot open the credentials in it. */
  isWithoutKey?: boolean
  /** The keys of the environment, which are in no backup. The home has none then that counts. */
  masterKey?: string | undefined
  /** The user that agents run as, if Yardmaster is root. */
  agentUser?: string | undefined
  onProgress?(sentence: string): void
}

export type BackupResult = { file: string; bytes: number; skipped: readonly string[] }

/**
 * Writes the database and the home into one file, while the service goes on. The rows are those of one moment, and the files
 * are read after it: a transcript on disk may be longer than its rows, and the next start reads on from there.
 *
 * The file gets its name when it is whole and on disk.
 */
export async function backUp(options: BackupOptions): Promise<BackupResult> {
  const file = resolve(options.file)
  const home = await realpath(options.home).catch(() => {
    throw new BackupError(`There is no home at ${options.home}. Set YARDMASTER_HOME.`)
  })
  return explained(`The backup cannot be written to ${file}`, async () => {
    await refuseFile(file, home)
    const draft = `${file}.${randomUUID().slice(0, 8)}.partial`
    const skipped: string[] = []
    const database = options.isHomeOnly ? undefined : await openDatabaseOf(home, options.databaseUrl)
    try {
      await pipeline(
        Readable.from(whole(contents(database?.client, { ...options, home }, skipped)), { objectMode: false }),
        createGzip({ level: 3 }),
        createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }),
      )
      await giveName(draft, file)
      await flushFolder(dirname(file))
      return { file, bytes: (await stat(file)).size, skipped }
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    } finally {
      await database?.close()
    }
  })
}

/** By a link, which fails if another backup has taken the name meanwhile. Some file systems have none. */
async function giveName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw fileExists(file)
    return rename(draft, file)
  }
  await rm(draft)
}

function fileExists(file: string): BackupError {
  return new BackupError(`The file ${file} exists. Name another one; a backup replaces nothing.`)
}

async function refuseFile(file: string, home: string): Promise<void> {
  const folder = await realpath(dirname(file))
  if (`${folder}${sep}`.startsWith(`${home}${sep}`))
    throw new BackupError(`The backup must not be written into the home ${home}. Name a file elsewhere.`)
  const existing = await lstat(file).catch(() => undefined)
  if (existing) throw fileExists(file)
}

async function* contents(
  client: pg.Client | undefined,
  { home, agentUser, isWithoutKey = false, masterKey, onProgress = () => undefined }: BackupOptions,
  skipped: string[],
): AsyncGenerator<Buffer> {
  if (client) await beginSnapshot(client)
  const tables = client ? await listTables(client) : []
  const manifest: Manifest = {
    format: 1,
    version,
    createdAt: new Date().toISOString(),
    database: client ? { digests: await readDigests(client), tables, vaultKeys: await readVaultKeys(client) } : null,
  }
  yield jsonFile(manifestName, manifest)
  if (client) {
    for (const [index, table] of tables.entries()) {
      onProgress(`database: table ${index + 1} of ${tables.length}, ${table.name}`)
      yield* dumpTable(client, table)
    }
    yield jsonFile(sequencesName, await readSequences(client))
    await endSnapshot(client)
  }
  const agents = agentUser === undefined ? undefined : await findUser(agentUser)
  let files = 0
  for await (const bytes of homeFiles(home, {
    ownerOf: (uid) => (agents !== undefined && uid === agents.uid ? agents.name : ''),
    onSkipped: (path, reason) => skipped.push(`${path} (${reason})`),
    isLeftOut: (path) => isWithoutKey && path.startsWith(keyFileName),
  })) {
    files += 1
    if (files % 1000 === 0) onProgress(`home: ${files} parts of files`)
    yield bytes
  }
  if (!isWithoutKey && masterKey === undefined) await refuseRotatedKey(home, manifest)
}

/** Files are read after the rows. If the key was rotated in between, the file has only a key that opens none of them. */
async function refuseRotatedKey(home: string, { database }: Manifest): Promise<void> {
  const keys = await readKeyFile(join(home, keyFileName))
  if (keys === undefined || database?.vaultKeys.every((id) => keys.some((key) => key.id === id))) return
  if (database) throw new BackupError('The master key was rotated during the backup. Make another one.')
}

/** Appends the digest of everything before it, and the end of the tar. */
async function* whole(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of parts) {
    hash.update(part)
    bytes += part.length
    yield part
  }
  yield jsonFile(endName, { sha256: hash.digest('hex'), bytes })
  yield tarEnd
}

function jsonFile(name: string, content: unknown): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(content)}\n`)
  return Buffer.concat([tarHeader(fileEntry(name, bytes.length)), bytes, paddingOf(bytes.length)])
}
