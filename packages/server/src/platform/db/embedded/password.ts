import { randomBytes } from 'node:crypto'
import { readPrivateFile, writePrivateFile } from '../../files/private-file.ts'

/** The password of the database's superuser. Undefined when the file is missing or does not hold one of ours. */
export async function readPassword(file: string): Promise<string | undefined> {
  const text = (await readPrivateFile(file))?.trim() ?? ''
  return /^[0-9a-f]{48}$/.test(text) ? text : undefined
}

/** Letters and digits only: the password also appears in an SQL literal and in a URL. */
export function newPassword(): string {
  return randomBytes(24).toString('hex')
}

export async function savePassword(file: string, password: string): Promise<void> {
  await writePrivateFile(file, `${password}\n`)
}
