import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'

export type KeptFiles = {
  /**
   * Every file of the server that may hold something of the database: its tables, the write-ahead log from the moment of keeping on,
   * and what all databases share. Not the tables of the other databases.
   */
  places(): Promise<{ tables: string; log: string; shared: string[] }>
  release(): Promise<void>
}

/** From now on the server removes no segment of its write-ahead log. A replication slot keeps them; no one reads from it. */
export async function keepDatabaseFiles(databaseUrl: string): Promise<KeptFiles> {
  const administration = new pg.Client({ connectionString: inject('administrationUrl') })
  await administration.connect()
  const slot = `kept_${randomUUID().replaceAll('-', '')}`
  await administration.query('select pg_create_physical_replication_slot($1, true)', [slot])
  return {
    places: async () => {
      // Writes the tables to their files. The log is written with every commit, or shortly after.
      await administration.query('checkpoint')
      const { rows } = await administration.query<{ folder: string; oid: string }>(
        `select current_setting('data_directory') as folder, oid from pg_database where datname = $1`,
        [new URL(databaseUrl).pathname.slice(1)],
      )
      const { folder = '', oid = '' } = rows[0] ?? {}
      const all = await readdir(folder)
      return {
        tables: join(folder, 'base', String(oid)),
        log: join(folder, 'pg_wal'),
        shared: all.filter((name) => name !== 'base' && name !== 'pg_wal').map((name) => join(folder, name)),
      }
    },
    release: async () => {
      await administration.query('select pg_drop_replication_slot($1)', [slot])
      await administration.end()
    },
  }
}
