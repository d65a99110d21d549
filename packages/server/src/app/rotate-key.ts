import { parseArgs } from 'node:util'
import { recordCommand } from '../domain/audit/audit.ts'
import { openDatabase, openPool } from '../platform/db/database.ts'
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.ts'
import { openHome } from '../platform/home/home.ts'
import { openLog } from '../platform/log/log.ts'
import { StartupError } from '../platform/startup-error.ts'
import { forgetSealed } from '../platform/vault/forget-sealed.ts'
import { type RotationOptions, rotateKey } from '../platform/vault/rotate-key.ts'
import { type Config, readConfig, readEnvironment } from './config.ts'
import { modules } from './modules.ts'

const usage = 'npm run rotate-key [-- --forget-credentials]'

/** `npm run rotate-key`. With `--forget-credentials`, for a key that is lost: what it sealed is deleted. */
export async function rotateKeyCommand(args: readonly string[]): Promise<void> {
  try {
    const isForgetting = readArguments(args)
    const config = readConfig(readEnvironment(process.cwd()))
    process.stdout.write(`${await onQuietHost(config, isForgetting ? forget : rotate)}\n`)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    process.stderr.write(`The key was not changed: ${error.message}\n`)
    process.exitCode = 1
  }
}

function readArguments(args: readonly string[]): boolean {
  try {
    const { values } = parseArgs({ args: [...args], options: { 'forget-credentials': { type: 'boolean' } } })
    return values['forget-credentials'] ?? false
  } catch (error) {
    throw new StartupError(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

async function rotate(options: RotationOptions): Promise<string> {
  const { id, values } = await rotateKey(options)
  await recordCommand(options.db, 'vault.rotate_key', null)
  const next =
    options.given === undefined
      ? `Copy master-key from ${options.home.in('')} to the homes of the other hosts, if there are any, and make a new backup.`
      : 'Remove the old key from YARDMASTER_MASTER_KEY on every host.'
  return `The master key is now ${id}; ${values} credentials were sealed again. ${next}`
}

async function forget(options: RotationOptions): Promise<string> {
  const rows = await forgetSealed(options)
  await recordCommand(options.db, 'vault.forget_credentials', null)
  return `${rows} records that the lost key sealed were deleted. Start Yardmaster, and sign in to the connectors and accounts again.`
}

/** Holds the home, so no Yardmaster runs on it or starts meanwhile. */
async function onQuietHost(config: Config, work: (options: RotationOptions) => Promise<string>): Promise<string> {
  const { DATABASE_URL, YARDMASTER_HOME, YARDMASTER_MASTER_KEY: given } = config
  const log = openLog({ level: 'warn' })
  const home = await openHome(YARDMASTER_HOME)
  const quiet = { info: () => undefined, warn: () => undefined }
  const embedded = DATABASE_URL === undefined ? await startEmbeddedPostgres({ home: home.path, log: quiet }) : undefined
  const connectionString = DATABASE_URL ?? embedded?.connectionString ?? ''
  const db = openDatabase(openPool({ connectionString }, { max: 2, log, name: 'key rotation' }))
  try {
    return await work({ given, home, db, tables: modules.flatMap(({ sealed = [] }) => sealed), onStep })
  } finally {
    await db.destroy()
    await embedded?.stop()
    await home.release()
  }
}

/** Shown where someone watches. */
function onStep(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${sentence}\n`)
}
