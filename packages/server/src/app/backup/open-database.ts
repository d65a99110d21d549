import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { tryFileLock } from '../../platform/concurrency/file-lock.ts'
import { superuser } from '../../platform/db/embedded/data-directory.ts'
import { startEmbeddedPostgres, urlOf } from '../../platform/db/embedded/embedded-postgres.ts'
import { readPassword } from '../../platform/db/embedded/password.ts'
import { readPostmasterFile } from '../../platform/db/embedded/postmaster-file.ts'
import { socketPort } from '../../platform/db/embedded/socket-directory.ts'
import { BackupError } from './backup-error.ts'

export type OpenDatabase = { client: pg.Client; close(): Promise<void> }

/**
 * The database of a home: the configured one, the embedded one of the host that runs on the home, or, if none runs, the
 * embedded one, started for the time of the backup.
 */
export async function openDatabaseOf(home: string, databaseUrl: string | undefined): Promise<OpenDatabase> {
  const { connectionString, stop } = await reachDatabaseOf(home, databaseUrl)
  return connect(connectionString, stop)
}

/** Where that database is, until `stop` is called. */
export async function reachDatabaseOf(
  home: string,
  databaseUrl: string | undefined,
): Promise<{ connectionString: string; stop(): Promise<void> }> {
  const nothing = async (): Promise<void> => undefined
  if (databaseUrl !== undefined) return { connectionString: databaseUrl, stop: nothing }
  const lock = await tryFileLock(join(home, 'home.lock'))
  if ('heldBy' in lock) return { connectionString: await runningServer(home, lock.heldBy.pid), stop: nothing }
  const quiet = { info: () => undefined, warn: () => undefined }
  const server = await startEmbeddedPostgres({ home, log: quiet }).catch(async (error: unknown) => {
    await lock.release()
    throw error
  })
  const stop = async (): Promise<void> => {
    await server.stop()
    await lock.release()
  }
  return { connectionString: server.connectionString, stop }
}

/** By the superuser, whose password the home has: the application's own is in the memory of the host only. */
async function runningServer(home: string, pid: number): Promise<string> {
  const inside = join(home, 'postgres')
  const note = await readFile(join(inside, 'data-location'), 'utf8').catch(() => inside)
  const server = await readPostmasterFile(join(note.trim(), 'data'))
  const password = await readPassword(join(inside, 'password'))
  if (!server?.socketDirectory || password === undefined)
    throw new BackupError(
      `A Yardmaster (process ${pid}) runs on ${home}, but not with the embedded database. Set DATABASE_URL as it does.`,
    )
  return urlOf({ host: server.socketDirectory, port: socketPort, user: superuser, password, database: 'yardmaster' })
}

async function connect(connectionString: string, stop: () => Promise<void>): Promise<OpenDatabase> {
  try {
    const client = await connectForLong(connectionString, 'yardmaster backup')
    const close = async (): Promise<void> => {
      await client.end().catch(() => undefined)
      await stop()
    }
    return { client, close }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * A connection for statements that take as long as the file on the other side takes. Limits that the server sets for all of its
 * connections do not apply to it, and the kernel notices a server that is gone.
 */
export async function connectForLong(connectionString: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  // The query that is underway reports it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0')
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw new BackupError(`The database cannot be reached: ${error instanceof Error ? error.message : error}.`, {
      cause: error,
    })
  }
}
