import pg from 'pg'
import { StartupError } from '../../startup-error.ts'
import { diskFullSentence } from './start-failure.ts'

export type ServerConnection = { host: string; port: number; user: string; password: string; database: string }

/** Makes the database unless it is there. Also the proof that the server lets us in. */
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
      `The password in ${about.passwordFile} does not open the database in ${about.data}. Remove that file, and the next start sets a new password.`,
    )
  }
}

const diskFull = '53100'
const wrongPassword = '28P01'

async function withClient(connection: ServerConnection, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'yardmaster start', connectionTimeoutMillis: 10_000 })
  // A connection that breaks is told by the query that was waiting; without a listener it would end us as well.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await work(client)
  } finally {
    await client.end()
  }
}
