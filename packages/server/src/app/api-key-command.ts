import { parseArgs } from 'node:util'
import { makeApiKey, NewKey, readExpiry, revokeApiKey, selectApiKeys } from '../domain/api-keys/api-key.ts'
import { recordCommand } from '../domain/audit/audit.ts'
import { type Database, openDatabase, openPool } from '../platform/db/database.ts'
import { parseBody } from '../platform/http/validation.ts'
import { openLog } from '../platform/log/log.ts'
import { Refusal } from '../platform/refusal.ts'
import { StartupError } from '../platform/startup-error.ts'
import { BackupError } from './backup/backup-error.ts'
import { reachDatabaseOf } from './backup/open-database.ts'
import { readConfig, readEnvironment } from './config.ts'

const usage = `npm run api-key -- create --name NAME --scope read|full [--expires 90d|2027-01-31]
npm run api-key -- list
npm run api-key -- revoke ID`

/** `npm run api-key`: makes, lists and revokes keys, while the server runs or not. */
export async function apiKeyCommand(args: readonly string[]): Promise<void> {
  try {
    const { YARDMASTER_HOME: home, DATABASE_URL } = readConfig(readEnvironment(process.cwd()))
    const asked = readArguments(args)
    const { connectionString, stop } = await reachDatabaseOf(home, DATABASE_URL)
    const db = openDatabase(
      openPool({ connectionString }, { max: 1, log: openLog({ level: 'warn' }), name: 'command' }),
    )
    try {
      process.stdout.write(`${await answer(db, asked)}\n`)
    } finally {
      await db.destroy()
      await stop()
    }
  } catch (error) {
    const isOurs = [StartupError, BackupError, Refusal].some((kind) => error instanceof kind)
    if (!(error instanceof Error) || !isOurs) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

type Asked = { verb: string | undefined; id: string | undefined; name?: string; scope?: string; expires?: string }

function readArguments(args: readonly string[]): Asked {
  const options = { name: { type: 'string' }, scope: { type: 'string' }, expires: { type: 'string' } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    return { verb: positionals[0], id: positionals[1], ...values }
  } catch (error) {
    throw new StartupError(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

export async function answer(
  db: Database,
  { verb, id, name, scope, expires }: Asked,
  now = new Date(),
): Promise<string> {
  if (verb === 'create') {
    if (!name?.trim() || !scope) throw new StartupError(`A new key needs --name and --scope.\n${usage}`)
    const given = NewKey.parse(parseBody(NewKey, { label: name, scope, expires: expires ?? null }))
    const expiresAt = given.expires ? readExpiry(given.expires, now) : null
    const { secret, row } = await makeApiKey(db, { ...given, expiresAt, madeBy: 'command' })
    await recordCommand(db, 'api_keys.create', `api_keys/${row.id}`)
    return `Key ${row.id}. It is shown only now:\n${secret}`
  }
  if (verb === 'list')
    return (await selectApiKeys(db)).map((row) => lineOf(row, now)).join('\n') || 'There are no keys.'
  if (verb !== 'revoke' || !/^[1-9]\d{0,14}$/.test(id ?? '')) throw new StartupError(usage)
  if (!(await selectApiKeys(db)).some((row) => row.id === Number(id)))
    throw new StartupError(`There is no key ${id}. These are the keys: npm run api-key -- list`)
  const { label } = await revokeApiKey(db, Number(id), now)
  await recordCommand(db, 'api_keys.revoke', `api_keys/${id}`)
  return `Key ${id} (${label}) is revoked.`
}

type Row = Awaited<ReturnType<typeof selectApiKeys>>[number]

function lineOf({ id, label, scope, beginning, revoked_at, expires_at, last_used_at }: Row, now: Date): string {
  const isExpired = expires_at !== null && expires_at <= now
  const state = revoked_at ? 'revoked' : isExpired ? 'expired' : expires_at ? `until ${day(expires_at)}` : 'valid'
  return [id, scope, `${beginning}…`, state, last_used_at ? `used ${day(last_used_at)}` : 'never used', label].join(
    '\t',
  )
}

function day(time: Date): string {
  return time.toISOString().slice(0, 10)
}
