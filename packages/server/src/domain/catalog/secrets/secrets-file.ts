import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { parseEntry } from '../files/parse-entry.ts'
import { mark, type Reading, readJsonObject, sentenceAbout } from '../files/reading.ts'

export type StoredSecret = { value: string; description: string | null }
export type StoredSecrets = ReadonlyMap<string, StoredSecret>

const Secret = z.object({
  value: z.string().max(100_000, 'is longer than 100,000 characters'),
  description: z.string().max(1000).nullish(),
})

const namePattern = /^[A-Z_][A-Z0-9_]{0,199}$/

/** `{"NAME": {"value": "...", "description": "..."}}`, readable by this user only. A missing file means no secrets. */
export async function readSecretsFile(reading: Reading, path: string): Promise<StoredSecrets | undefined> {
  const secrets = new Map<string, StoredSecret>()
  await mark(reading, path)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return secrets
  if ((found.mode & 0o077) !== 0) {
    reading.problems.push(
      sentenceAbout(basename(path), '', `can be read by other users; make it yours alone: chmod 600 ${path}`),
    )
    return undefined
  }
  const folder = { path: dirname(path), scope: '', isTop: true, prefix: '' }
  const json = await readJsonObject(reading, folder, path)
  for (const [name, value] of Object.entries(json ?? {})) {
    if (!namePattern.test(name)) {
      const text = 'is not a valid secret name: capital letters, digits and underscores'
      reading.problems.push(sentenceAbout(basename(path), JSON.stringify(name.slice(0, 120)), text))
      continue
    }
    const secret = parseEntry(reading, Secret, value, { file: basename(path), key: name })
    if (secret) secrets.set(name, { value: secret.value, description: secret.description ?? null })
  }
  return reading.problems.length === 0 ? secrets : undefined
}
