import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { Home } from '../platform/home/home.ts'
import { errnoOf } from '../platform/process/errno.ts'

export type KeyRing = { keys: readonly string[]; file: string | undefined }

/** The keys of `API_KEYS`, or, where it is not set, the one key of this home, made at the first start. */
export async function findKeys(apiKeys: string | undefined, home: Home): Promise<KeyRing> {
  if (apiKeys !== undefined) {
    return {
      keys: apiKeys
        .split(',')
        .map((key) => key.trim())
        .filter((key) => key !== ''),
      file: undefined,
    }
  }
  const file = home.in('api-key')
  return { keys: [await readOrMake(file)], file }
}

async function readOrMake(file: string): Promise<string> {
  const kept = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return ''
    throw error
  })
  if (kept.trim() !== '') return kept.trim()
  const key = `ym_${randomBytes(24).toString('base64url')}`
  await writeFile(file, `${key}\n`, { mode: 0o600 })
  return key
}
