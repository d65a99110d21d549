import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { z } from 'zod'
import { copyIn, copyTarget } from '../../platform/db/copy.ts'
import { migrate } from '../../platform/db/migrate.ts'
import type { ReadEntry } from '../../platform/files/tar.ts'
import { BackupError } from './backup-error.ts'
import { type DumpedTable, Sequence, tableFolder, tableName } from './dump-database.ts'
import { type Manifest, sequencesName } from './manifest.ts'
import { connectForLong } from './open-database.ts'
import { readJson } from './read-backup.ts'

type Loader = {
  /** Takes the parts of the tables in the order of the backup, then the sequences. */
  add(entry: ReadEntry): Promise<void>
  /** Commits. */
  finish(): Promise<void>
  /** Leaves the database as it was. */
  abandon(): Promise<void>
}

/**
 * Fills an empty database: the schema by our own migrations up to the version of the backup, then the rows as they were, in one
 * transaction. Triggers do not run: their work is in the rows. The next start applies the newer migrations.
 */
export async function loadInto(
  connectionString: string,
  { digests, tables }: NonNullable<Manifest['database']>,
): Promise<Loader> {
  const pool = new pg.Pool({ connectionString, max: 2, application_name: 'yardmaster restore' })
  pool.on('error', () => undefined)
  pool.on('connect', (connected) => connected.on('error', () => undefined))
  try {
    await refuseFilled(pool)
    await migrate(pool, { only: digests })
    await runMigrations({ pgPool: pool })
  } finally {
    await pool.end()
  }
  const client = await connectForLong(connectionString, 'yardmaster restore')
  try {
    await emptyTables(client, tables)
    return loaderOf(client, tables)
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Begins the transaction. First the triggers: those of an append-only table refuse to empty it, also when it is empty. */
async function emptyTables(client: pg.Client, tables: readonly DumpedTable[]): Promise<void> {
  await client.query('begin')
  for (const table of tables) await client.query(`alter table ${tableName(table)} disable trigger user`)
  await client.query(`truncate ${tables.map(tableName).join(', ')}`)
}

function loaderOf(client: pg.Client, tables: readonly DumpedTable[]): Loader {
  let underway: { table: DumpedTable; parts: PartQueue; isStored: Promise<void> } | undefined
  const endTable = async (): Promise<void> => {
    underway?.parts.end()
    await underway?.isStored
    underway = undefined
  }
  return {
    add: async (entry) => {
      const path = entry.path.toString()
      if (path === sequencesName) {
        await endTable()
        for (const { name, value, isCalled } of await readJson(entry, sequencesName, z.array(Sequence)))
          await client.query('select setval($1::text::regclass, $2, $3)', [name, value, isCalled])
        return
      }
      const table = tables.find((each) => path.startsWith(tableFolder(each)))
      if (!table) throw new BackupError(`The backup has rows of ${path}, a table that it does not name.`)
      if (underway?.table !== table) {
        await endTable()
        const parts = partQueue()
        const isStored = copyIn(client, `copy ${copyTarget(table)} from stdin`, parts.read())
        isStored.catch(() => parts.end())
        underway = { table, parts, isStored }
      }
      // The rest of a table whose rows were refused is not read: its end reports why.
      for await (const part of entry.content) if (!(await underway.parts.add(part))) return endTable()
    },
    finish: async () => {
      await endTable()
      for (const table of tables) await client.query(`alter table ${tableName(table)} enable trigger user`)
      await client.query('commit')
      await client.query('analyze')
      await client.end()
    },
    abandon: async () => {
      underway?.parts.end()
      await client.end().catch(() => undefined)
    },
  }
}

/** Refuses a database that cannot be reached or that holds tables. */
export async function refuseFilledDatabase(connectionString: string): Promise<void> {
  const client = await connectForLong(connectionString, 'yardmaster restore')
  await refuseFilled(client).finally(() => client.end())
}

async function refuseFilled(database: pg.Pool | pg.Client): Promise<void> {
  const { rows } = await database.query<{ isFilled: boolean }>(
    `select exists (select from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as "isFilled"`,
  )
  if (rows[0]?.isFilled)
    throw new BackupError('The database is not empty. Restore into an empty one: nothing that exists is replaced.')
}

type PartQueue = {
  /** False if the COPY has ended and takes no more. */
  add(part: Buffer): Promise<boolean>
  read(): AsyncGenerator<Buffer>
  end(): void
}

/** Hands parts from the reader of the backup to the COPY, one at a time. */
function partQueue(): PartQueue {
  let part: Buffer | undefined
  let isEnded = false
  let wake: () => void = () => undefined
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  return {
    add: async (next) => {
      while (part !== undefined && !isEnded) await change()
      if (isEnded) return false
      part = next
      wake()
      return true
    },
    end: () => {
      isEnded = true
      wake()
    },
    read: async function* () {
      for (;;) {
        while (part === undefined && !isEnded) await change()
        if (part === undefined) return
        const next = part
        part = undefined
        wake()
        yield next
      }
    },
  }
}
