import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from '../process/errno.ts'

/**
 * Writes a file that only our user can read. The rename makes it atomic: a reader sees the old content or the new.
 * `flush` syncs the content to disk first, for files that must survive a power cut.
 */
export async function writePrivateFile(
  path: string,
  text: string,
  { mode = 0o600, flush = false }: { mode?: number; flush?: boolean } = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.partial`
  await writeFile(draft, text, { mode, flush })
  await rename(draft, path)
}

/** The file's text, or undefined if there is no such file. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

/** The file's text without the spaces around it. If there is none, writes what `make` returns. */
export async function readOrCreate(path: string, make: () => string): Promise<string> {
  const stored = (await readIfPresent(path))?.trim() ?? ''
  if (stored !== '') return stored
  const made = make()
  await writePrivateFile(path, `${made}\n`)
  return made
}
