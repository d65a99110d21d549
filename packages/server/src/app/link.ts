import { fstatSync } from 'node:fs'
import { join } from 'node:path'
import { signInKeys } from '../domain/sign-ins/sign-in.ts'
import { readIfPresent, writePrivateFile } from '../platform/files/private-file.ts'
import type { Home } from '../platform/home/home.ts'
import { StartupError } from '../platform/startup-error.ts'
import { readKeys } from './api-key.ts'
import { readConfig, readEnvironment } from './config.ts'

const addressFile = 'web-address'

/** Where people reach this host, for `npm run link`. */
export function recordAddress(home: Home, address: string): Promise<void> {
  return writePrivateFile(home.in(addressFile), `${address}\n`)
}

/** The secret is in the fragment, which no browser sends to a server: it is in no log and in no referrer. */
export function linkTo(address: string, secret: string): string {
  return `${address}/#k=${secret}`
}

/** Whether a file or the journal keeps what is printed there: such a place gets no link that signs in. */
export function isKept(output: number, { JOURNAL_STREAM }: Record<string, string | undefined>): boolean {
  return JOURNAL_STREAM !== undefined || fstatSync(output).isFile()
}

/** `npm run link`: prints a link that signs in once. It needs no running server, only what the home holds: the key. */
export async function linkCommand(): Promise<void> {
  try {
    process.stdout.write(`${await makeLink(readEnvironment(process.cwd()))}\n`)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    process.stderr.write(`No link: ${error.message}\n`)
    process.exitCode = 1
  }
}

export async function makeLink(environment: Record<string, string | undefined>): Promise<string> {
  const { API_KEYS, YARDMASTER_HOME: home, WEB_AUTH } = readConfig(environment)
  const address = (await readIfPresent(join(home, addressFile)))?.trim()
  if (address === undefined) throw new StartupError(`Yardmaster was not started on the home ${home} yet.`)
  if (WEB_AUTH === 'none') return address
  const secret = signInKeys(await readKeys(API_KEYS, home)).makeLink(new Date())
  if (secret === undefined) throw new StartupError('there is no API key, because API_KEYS is blank.')
  return linkTo(address, secret)
}
