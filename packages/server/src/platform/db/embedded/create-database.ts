import pg from 'pg'
import { StartupError } from '../../startup-error.ts'
import { newPassword } from './password.ts'
import { diskFullSentence } from './start-failure.ts'

export type ServerConnection = { host: string; port: number; user: string; password: string; database: string }

/**
 * The role that the application uses. It owns the database and everything in it, and has no rights beyond it: no files, no
 * programs, no other databases.
 */
export const applicationRole = 'yardmaster_app'

/**
 * Creates the database and its role if they are missing, by the superuser, whose only use this is. The role gets a new
 * password at every start, so that none is kept anywhere. Also proves that the server accepts the superuser's password.
 */
export async function prepareDatabase(
  superuser: ServerConnection,
  about: { data: string; passwordFile: string },
): Promise<ServerConnection> {
  const { database } = superuser
  const application = { ...superuser, user: applicationRole, password: newPassword() }
  try {
    await withClient({ ...superuser, database: 'postgres' }, async (client) => {
      const role = await client.query('select from pg_roles where rolname = $1', [applicationRole])
      if (role.rowCount === 0) await client.query(`create role ${applicationRole} login`)
      await client.query(`alter role ${applicationRole} password '${application.password}'`)
      const found = await client.query('select from pg_database where datname = $1', [database])
      const name = pg.escapeIdentifier(database)
      if (found.rowCount === 0) await client.query(`create database ${name} owner ${applicationRole}`)
    })
    await withClient(superuser, giveDatabase)
    return application
  } catch (error) {
    const state = error instanceof pg.DatabaseError ? error.code : undefined
    if (state === diskFull) throw diskFullSentence(about.data)
    if (state !== wrongPassword) throw error
    throw new StartupError(
      `The password in ${about.passwordFile} is not the password of the database in ${about.data}. Remove that file, and the next start sets a new password.`,
    )
  }
}

/**
 * Earlier versions used the superuser for everything. `reassign owned` refuses for that role, because the system needs it,
 * so each object gets its new owner by name. Extensions keep theirs, which means nothing to their users.
 */
async function giveDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(objectsOfTheSuperuser)
  if (rows.length === 0) return
  await client.query(['begin', ...rows.map(({ statement }) => statement), 'commit'].join(';\n'))
}

const objectsOfTheSuperuser = `
  with own as (
    select oid, nspname from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
  ),
  extended as (
    select objid from pg_depend where deptype = 'e'
  )
  select format('alter database %I owner to ${applicationRole}', datname) as statement
  from pg_database
  where datname = current_database() and datdba = 10
  union all
  select format('alter schema %I owner to ${applicationRole}', nspname)
  from pg_namespace
  where nspowner = 10 and oid in (select oid from own) and nspname <> 'public'
  union all
  select format('alter table %I.%I owner to ${applicationRole}', nspname, relname)
  from pg_class join own on own.oid = relnamespace
  where relowner = 10 and relkind in ('r', 'p', 'v', 'm', 'f') and pg_class.oid not in (select objid from extended)
  union all
  select format('alter sequence %I.%I owner to ${applicationRole}', nspname, relname)
  from pg_class join own on own.oid = relnamespace
  where relowner = 10 and relkind = 'S'
    and pg_class.oid not in (select objid from pg_depend where deptype in ('a', 'i') and classid = 'pg_class'::regclass)
  union all
  select format('alter routine %s owner to ${applicationRole}', pg_proc.oid::regprocedure)
  from pg_proc join own on own.oid = pronamespace
  where proowner = 10 and pg_proc.oid not in (select objid from extended)
  union all
  select format('alter type %I.%I owner to ${applicationRole}', nspname, typname)
  from pg_type join own on own.oid = typnamespace
  where typowner = 10 and typtype in ('e', 'd', 'r') and pg_type.oid not in (select objid from extended)
  union all
  select format('alter type %I.%I owner to ${applicationRole}', nspname, typname)
  from pg_type join own on own.oid = typnamespace join pg_class on pg_class.oid = typrelid and relkind = 'c'
  where typowner = 10
`

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
