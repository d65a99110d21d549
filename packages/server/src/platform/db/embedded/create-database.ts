import pg from 'pg'
import { StartupError } from '../../startup-error.ts'
import { diskFullSentence } from './start-failure.ts'

export type ServerConnection = { host: string; port: number; user: string; password: string; database: string }

/** Creates the database if it is missing. Also proves that the server accepts our password. */
export async function createDatabaseIfMissing(
  connection: ServerConnection,
  about: { data: string; passwordFile: string },
): Promise<void> {
  const { database } = connection
  try {
    await withClient({ ...connection, database: 'postgres' }, async (client) => {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
      if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`)
    })
  } catch (error) {
    const state = error instanceof pg.DatabaseError ? error.code : undefined
    if (state === diskFull) throw diskFullSentence(about.data)
    if (state !== wrongPassword) throw error
    throw new StartupError(
      `The password in ${about.passwordFile} is not the password of the database in ${about.data}. Remove that file, and the next start sets a new password.`,
    )
  }
}

const diskFull = '53100'
const wrongPassword = '28P01'

async function withClient(connection: ServerConnection, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'yardmaster start', connectionTimeoutMillis: 10_000 })
  // The pending query reports a broken connection. Without a listener the event would crash this process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}
