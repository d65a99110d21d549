import { randomBytes } from 'node:crypto'
import { readOrCreate } from '../platform/files/private-file.ts'
import type { Home } from '../platform/home/home.ts'

export type KeyRing = { keys: readonly string[]; file: string | undefined }

/** The keys of `API_KEYS`. If the variable is unset, the home's one key, which the first start creates. */
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
  const key = await readOrCreate(file, () => `ym_${randomBytes(24).toString('base64url')}`)
  return { keys: [key], file }
}
