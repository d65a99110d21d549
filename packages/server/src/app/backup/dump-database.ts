import pg from 'pg'
import { z } from 'zod'
import { copyOut, copyTarget } from '../../platform/db/copy.ts'
import { fileEntry, paddingOf, tarHeader } from '../../platform/files/tar.ts'

export const DumpedTable = z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()).min(1) })
export type DumpedTable = z.infer<typeof DumpedTable>

export const Sequence = z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })

/** A part of a table in the tar, whose header needs its size. */
const partBytes = 1024 * 1024

export function tableFolder({ schema, name }: Pick<DumpedTable, 'schema' | 'name'>): string {
  return `database/${schema}.${name}/`
}

/**
 * Everything that is read from now on is as of this moment, while the service goes on. Only an upgrade waits: a table that a
 * migration rewrites would be empty in the snapshot. The snapshot is taken by the first query after the locks.
 */
export async function beginSnapshot(client: pg.Client): Promise<void> {
  const tables = await listTables(client)
  await client.query('begin isolation level repeatable read, read only')
  await client.query(`lock table ${tables.map(tableName).join(', ')} in access share mode`)
  await client.query('select 1')
}

/** Lets upgrades go on: what follows reads no rows. */
export async function endSnapshot(client: pg.Client): Promise<void> {
  await client.query('commit')
}

export function tableName({ schema, name }: Pick<DumpedTable, 'schema' | 'name'>): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
}

/** Our tables and those of the job queue, each after the tables that it refers to. */
export async function listTables(client: pg.Client): Promise<DumpedTable[]> {
  const { rows: tables } = await client.query<DumpedTable & { oid: number }>(`
    select
      pg_class.oid::int as oid, nspname as schema, relname as name,
      array_agg(attname::text order by attnum) as columns
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relkind = 'r'
      and nspname in ('public', 'graphile_worker')
      and (nspname, relname) not in (('public', 'schema_migrations'), ('graphile_worker', 'migrations'))
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    group by pg_class.oid, nspname, relname
    order by nspname, relname
  `)
  const { rows: references } = await client.query<{ from: number; to: number }>(
    `select conrelid::int as from, confrelid::int as to from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  )
  const ordered: typeof tables = []
  const visit = (table: (typeof tables)[number], path: readonly number[]): void => {
    if (ordered.includes(table)) return
    if (path.includes(table.oid)) throw new Error(`the table ${table.name} refers to itself by way of others`)
    for (const { from, to } of references)
      if (from === table.oid) for (const other of tables) if (other.oid === to) visit(other, [...path, table.oid])
    ordered.push(table)
  }
  for (const table of tables) visit(table, [])
  return ordered.map(({ schema, name, columns }) => ({ schema, name, columns }))
}

/** The rows of a table as entries of the tar. */
export async function* dumpTable(client: pg.Client, table: DumpedTable): AsyncGenerator<Buffer> {
  let rows: Buffer[] = []
  let size = 0
  let part = 0
  const entry = (): Buffer => {
    part += 1
    const bytes = Buffer.concat(rows)
    const header = tarHeader(fileEntry(`${tableFolder(table)}${String(part).padStart(6, '0')}.copy`, bytes.length))
    rows = []
    size = 0
    return Buffer.concat([header, bytes, paddingOf(bytes.length)])
  }
  for await (const row of copyOut(client, `copy ${copyTarget(table)} to stdout`) as AsyncIterable<Buffer>) {
    rows.push(row)
    size += row.length
    if (size >= partBytes) yield entry()
  }
  if (size > 0) yield entry()
}

/** Sequences are not part of a snapshot. Read after the tables, they are at or after every row. */
export async function readSequences(client: pg.Client): Promise<z.infer<typeof Sequence>[]> {
  const { rows: names } = await client.query<{ name: string }>(`
    select format('%I.%I', nspname, relname) as name
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'S'
      and nspname in ('public', 'graphile_worker')
    order by 1
  `)
  const sequences: z.infer<typeof Sequence>[] = []
  for (const { name } of names) {
    const { rows } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${name}`,
    )
    for (const row of rows) sequences.push({ name, ...row })
  }
  return sequences
}

/** Of the migrations that made the schema, in their order. */
export async function readDigests(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ digest: string }>('select digest from schema_migrations order by version')
  return rows.map(({ digest }) => digest)
}

/** The ids of the keys that seal the credentials in the rows. A database of an earlier version has none. */
export async function readVaultKeys(client: pg.Client): Promise<string[]> {
  const found = await client.query(`select to_regclass('public.vault_keys') is not null as "isThere"`)
  if (!found.rows[0]?.isThere) return []
  const { rows } = await client.query<{ id: string }>('select id from vault_keys order by id')
  return rows.map(({ id }) => id)
}
