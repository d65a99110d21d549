import { runMigrations } from 'graphile-worker'
import pg from 'pg'
import { z } from 'zod'
import { copyIn, copyTarget } from '../../platform/db/copy.ts'
import { migrate } from '../../platform/db/migrate.ts'
import type { ReadEntry } from '../../platform/files/tar.ts'
import { BackupError } from './backup-error.ts'
import { type DumpedTable, Sequence, tableFolder } from './dump-database.ts'
import { type Manifest, sequencesName } from './manifest.ts'
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
  const client = new pg.Client({ connectionString, application_name: 'yardmaster restore' })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('begin')
  // First the triggers: those of an append-only table refuse to empty it, also when it is empty.
  for (const table of tables) await client.query(`alter table ${nameOf(table)} disable trigger user`)
  await client.query(`truncate ${tables.map(nameOf).join(', ')}`)
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
      for await (const part of entry.content) await underway.parts.add(part)
    },
    finish: async () => {
      await endTable()
      for (const table of tables) await client.query(`alter table ${nameOf(table)} enable trigger user`)
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

function nameOf({ schema, name }: DumpedTable): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
}

async function refuseFilled(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ isFilled: boolean }>(
    `select exists (select from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace) as "isFilled"`,
  )
  if (rows[0]?.isFilled)
    throw new BackupError('The database is not empty. Restore into an empty one: nothing that exists is replaced.')
}

type PartQueue = { add(part: Buffer): Promise<void>; read(): AsyncGenerator<Buffer>; end(): void }

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
      part = next
      wake()
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
