import { parseArgs } from 'node:util'
import { StartupError } from '../../platform/startup-error.ts'
import { readConfig, readEnvironment } from '../config.ts'
import { backUp } from './backup.ts'
import { BackupError } from './backup-error.ts'
import { restore } from './restore.ts'

/** `npm run backup [-- FILE] [--home-only] [--without-key]` */
export function backupCommand(args: readonly string[]): Promise<void> {
  return reporting(async () => {
    const { file, isHomeOnly, isWithoutKey } = readArguments(args, ['home-only', 'without-key'])
    const { bytes, skipped, ...written } = await backUp({
      ...placesOf(),
      file: file ?? `yardmaster-backup-${new Date().toISOString().replaceAll(/[-:]|\..*/g, '')}.tar.gz`,
      isHomeOnly,
      isWithoutKey,
      onProgress,
    })
    for (const path of skipped) say(`left out: ${path}`)
    say(`The backup is ${written.file} (${sizeOf(bytes)}). It holds keys: keep it as secret as the home.`)
    if (isWithoutKey) say('It does not hold the master key. Keep that too: without it the credentials are lost.')
  })
}

/** `npm run restore -- FILE [--force] [--home-only]` */
export function restoreCommand(args: readonly string[]): Promise<void> {
  return reporting(async () => {
    const { file, isHomeOnly, isForced } = readArguments(args, ['home-only', 'force'])
    if (file === undefined) throw new BackupError('Name the backup: npm run restore -- FILE.')
    const places = placesOf()
    const { createdAt, movedTo, missingKey } = await restore({ ...places, file, isHomeOnly, isForced, onProgress })
    if (movedTo !== undefined) say(`The home that was there is now ${movedTo}.`)
    say(`Restored ${places.home} as it was at ${createdAt}. Start it with npm start.`)
    if (missingKey !== undefined) say(missingKey)
  })
}

/** A small backup has some size too: `0.0 MB` would read as an empty one. */
export function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

function placesOf() {
  const {
    YARDMASTER_HOME: home,
    DATABASE_URL: databaseUrl,
    AGENT_USER: agentUser,
    YARDMASTER_MASTER_KEY: masterKey,
  } = readConfig(readEnvironment(process.cwd()))
  return { home, databaseUrl, masterKey, agentUser: agentUser ?? 'yardmaster-agent' }
}

function readArguments(args: readonly string[], options: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(options.map((name) => [name, { type: 'boolean' as const }])),
    })
    if (positionals.length > 1) throw new BackupError(`Name one file, not ${positionals.length}.`)
    return {
      file: positionals[0],
      isHomeOnly: values['home-only'] === true,
      isWithoutKey: values['without-key'] === true,
      isForced: values.force === true,
    }
  } catch (error) {
    throw error instanceof BackupError ? error : new BackupError(error instanceof Error ? error.message : String(error))
  }
}

/** Progress goes to the terminal's line of the moment, or nowhere if no one watches. */
function onProgress(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${sentence}`)
}

function say(sentence: string): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  process.stdout.write(`${sentence}\n`)
}

async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof BackupError || error instanceof StartupError)) throw error
    process.stderr.write(`${process.stderr.isTTY ? '\r\u001b[K' : ''}${error.message}\n`)
    process.exitCode = 1
  }
}
