import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { flushFolder } from '../files/flush-folder.ts'
import { readPrivateFile, writePrivateFile } from '../files/private-file.ts'
import { StartupError } from '../startup-error.ts'

/** A key that seals credentials. A `KeyObject`, because nothing prints its content by accident. */
export type MasterKey = {
  /** Follows from the key and tells nothing about it. Stands in every text that the key sealed. */
  id: string
  key: KeyObject
}

const keyBytes = 32

/** In the home. */
export const keyFileName = 'master-key'

export const keyRule =
  'must be a key of 32 bytes in base64 or hex, as openssl rand -base64 32 makes one; while keys are rotated two of them, the new one first, separated by a comma'

/** One key, or several separated by commas or line breaks, the newest first. Undefined if one of them is no key. */
export function readMasterKeys(text: string): MasterKey[] | undefined {
  const words = text.split(/[\s,]+/).filter(Boolean)
  const keys = words.flatMap((word) => {
    const bytes = bytesOf(word)
    return bytes ? [masterKey(bytes)] : []
  })
  const isWhole = keys.length === words.length && keys.length > 0
  return isWhole ? keys : undefined
}

export function newMasterKey(): MasterKey {
  return masterKey(randomBytes(keyBytes))
}

/** Undefined if there is no such file. */
export async function readKeyFile(file: string): Promise<MasterKey[] | undefined> {
  const text = await readPrivateFile(file)
  if (text === undefined) return undefined
  return readMasterKeys(text) ?? refuseFile(file)
}

/** On disk for good when it returns: what is sealed next can be opened by nothing else. */
export async function writeKeyFile(file: string, keys: readonly MasterKey[]): Promise<void> {
  await writePrivateFile(file, keys.map(({ key }) => `${key.export().toString('base64url')}\n`).join(''))
  await flushFolder(dirname(file))
}

/** The usual spellings of a key, for the redactor. */
export function spellingsOf({ key }: MasterKey): string[] {
  const bytes = key.export()
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')]
}

function bytesOf(word: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(word)) return Buffer.from(word, 'hex')
  if (/^[\w+/-]{43}=?$/.test(word)) return Buffer.from(word, 'base64')
  return undefined
}

function masterKey(bytes: Buffer): MasterKey {
  const id = createHmac('sha256', bytes).update('yardmaster key id').digest('hex').slice(0, 16)
  return { id, key: createSecretKey(bytes) }
}

function refuseFile(file: string): never {
  throw new StartupError(`The file ${file} holds no key of ${keyBytes} bytes. Restore it from a backup.`)
}
