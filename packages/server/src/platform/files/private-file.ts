import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from '../process/errno.ts'

/**
 * Writes a file that only our user can read. The rename makes it atomic, and the content is on disk before it: a reader sees
 * the old content or the new, also after a power cut. A draft that exists is not ours to write to, whatever it leads to.
 * `keepsOwner`: a file that another user owns stays theirs.
 */
export async function writePrivateFile(
  path: string,
  text: string,
  { keepsOwner = false }: { keepsOwner?: boolean } = {},
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.partial`
  await rm(draft, { force: true })
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(text)
    if (keepsOwner) await giveToOwner(file, path)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

/** Only root can. By the open file: its owner could exchange the path for another. */
async function giveToOwner(file: FileHandle, path: string): Promise<void> {
  const found = process.geteuid?.() === 0 ? await lstat(path).catch(() => undefined) : undefined
  if (found) await file.chown(found.uid, found.gid)
}

/** The file's text, or undefined if there is no such file. */
export function readIfPresent(path: string): Promise<string | undefined> {
  return unlessMissing(() => readFile(path, 'utf8'))
}

/** As `readIfPresent`, for a secret: follows no link, and takes the file away from everyone but our user. */
export function readPrivateFile(path: string): Promise<string | undefined> {
  return unlessMissing(async () => {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      if (((await file.stat()).mode & 0o077) !== 0) await file.chmod(0o600)
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  })
}

async function unlessMissing(read: () => Promise<string>): Promise<string | undefined> {
  try {
    return await read()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined
    throw error
  }
}

/** The secret without the spaces around it. If there is none, writes what `make` returns. */
export async function readOrCreate(path: string, make: () => string): Promise<string> {
  const stored = (await readPrivateFile(path))?.trim() ?? ''
  if (stored !== '') return stored
  const made = make()
  await writePrivateFile(path, `${made}\n`)
  return made
}
