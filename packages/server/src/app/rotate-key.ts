import { recordCommand } from '../domain/audit/audit.ts'
import { openDatabase, openPool } from '../platform/db/database.ts'
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.ts'
import { openHome } from '../platform/home/home.ts'
import { openLog } from '../platform/log/log.ts'
import { StartupError } from '../platform/startup-error.ts'
import { type Rotated, rotateKey } from '../platform/vault/rotate-key.ts'
import { type Config, readConfig, readEnvironment } from './config.ts'
import { modules } from './modules.ts'

/** `npm run rotate-key` */
export async function rotateKeyCommand(): Promise<void> {
  try {
    const config = readConfig(readEnvironment(process.cwd()))
    const { id, values } = await rotate(config)
    const next =
      config.YARDMASTER_MASTER_KEY === undefined
        ? `Copy master-key from ${config.YARDMASTER_HOME} to the homes of the other hosts, if there are any, and make a new backup.`
        : 'Remove the old key from YARDMASTER_MASTER_KEY on every host.'
    process.stdout.write(`The master key is now ${id}; ${values} credentials were sealed again. ${next}\n`)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    process.stderr.write(`The key was not rotated: ${error.message}\n`)
    process.exitCode = 1
  }
}

/** Holds the home, so no Yardmaster runs on it or starts meanwhile. */
async function rotate(config: Config): Promise<Rotated> {
  const { DATABASE_URL, YARDMASTER_HOME, YARDMASTER_MASTER_KEY: given } = config
  const log = openLog({ level: 'warn' })
  const home = await openHome(YARDMASTER_HOME)
  const quiet = { info: () => undefined, warn: () => undefined }
  const embedded = DATABASE_URL === undefined ? await startEmbeddedPostgres({ home: home.path, log: quiet }) : undefined
  const connectionString = DATABASE_URL ?? embedded?.connectionString ?? ''
  const db = openDatabase(openPool({ connectionString }, { max: 2, log, name: 'key rotation' }))
  try {
    const rotated = await rotateKey({ given, home, db, tables: modules.flatMap(({ sealed = [] }) => sealed), onStep })
    await recordCommand(db, 'vault.rotate_key', null)
    return rotated
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
