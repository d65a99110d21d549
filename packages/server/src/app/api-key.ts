import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate, readPrivateFile } from '../platform/files/private-file.ts'
import type { Home } from '../platform/home/home.ts'

export type KeyRing = { keys: readonly string[]; file: string | undefined }

const keyFile = 'api-key'

/** The keys of `API_KEYS`. If the variable is unset, the home's one key, which the first start creates. */
export async function findKeys(apiKeys: string | undefined, home: Home): Promise<KeyRing> {
  if (apiKeys !== undefined) return { keys: listed(apiKeys), file: undefined }
  const file = home.in(keyFile)
  const key = await readOrCreate(file, () => `ym_${randomBytes(24).toString('base64url')}`)
  return { keys: [key], file }
}

/** As `findKeys`, for a command beside the server: it creates none. */
export async function readKeys(apiKeys: string | undefined, home: string): Promise<readonly string[]> {
  return listed(apiKeys ?? (await readPrivateFile(join(home, keyFile))) ?? '')
}

function listed(keys: string): string[] {
  return keys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
}
