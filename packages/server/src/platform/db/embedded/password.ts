import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { errnoOf } from '../../process/errno.ts'

/** The superuser's password, which nobody ever types. Undefined when there is none, or none that we wrote. */
export async function readPassword(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim()
    return /^[0-9a-f]{48}$/.test(text) ? text : undefined
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Letters and digits only: it also stands in an SQL literal and in a URL. */
export function newPassword(): string {
  return randomBytes(24).toString('hex')
}

export async function savePassword(file: string, password: string): Promise<void> {
  await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}
