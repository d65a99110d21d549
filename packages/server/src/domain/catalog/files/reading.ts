import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { PathRefused, resolveInside } from '../../../platform/contained-path.ts'
import { notJson, parseJsonFile, readProblem } from '../../../platform/files/json-file.ts'
import { errnoOf } from '../../../platform/process/errno.ts'
import { duplicateKeys } from './duplicate-keys.ts'

/** One read of the catalog's files. Collects problems, so that all are reported at once. */
export type Reading = {
  /** The fingerprint of every path, taken before reading it. Comparing it later detects changes. */
  marks: Map<string, string>
  /** A digest of each file that was read, by its path in the catalog. */
  digests: Map<string, string>
  problems: string[]
  warnings: string[]
}

/** A folder that its paths must not leave. `path` is a real path; `prefix` precedes its files in messages. */
export type CatalogFolder = { path: string; scope: string; isTop: boolean; prefix: string }

export function newReading(): Reading {
  return { marks: new Map(), digests: new Map(), problems: [], warnings: [] }
}

/** `skills.json: run-tests.path: does not exist` */
export function sentenceAbout(file: string, key: string, text: string): string {
  return key === '' ? `${file}: ${text}` : `${file}: ${key}: ${text}`
}

/** The path relative to the catalog folder; the absolute path for files elsewhere. */
export function labelOf(folder: CatalogFolder, path: string): string {
  return folder.prefix + relative(folder.path, path).split(sep).join('/')
}

export async function markOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path)
    return [dev, ino, size, mtimeMs, ctimeMs].join(':')
  } catch (error) {
    return errnoOf(error) ?? 'unreadable'
  }
}

export async function mark(reading: Reading, path: string): Promise<void> {
  reading.marks.set(path, await markOf(path))
}

/** Index files are written by hand, and a megabyte holds thousands of entries. */
const maxFileBytes = 1024 * 1024

/** Reads a JSON object. Returns undefined and records a problem if the file holds none. */
export async function readJsonObject(
  reading: Reading,
  folder: CatalogFolder,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const label = labelOf(folder, path)
  const text = await readText(reading, path, label)
  if (text === undefined) return undefined
  const problem = (what: string): undefined => {
    reading.problems.push(sentenceAbout(label, '', what))
  }
  const value = parseJsonFile(text)
  if (value === undefined) return problem(notJson)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return problem('must hold a JSON object')
  const [duplicate] = duplicateKeys(text)
  if (duplicate !== undefined) {
    reading.problems.push(sentenceAbout(label, duplicate, 'is a duplicate key'))
    return undefined
  }
  return value as Record<string, unknown> // an object that JSON.parse made
}

async function readText(reading: Reading, path: string, label: string): Promise<string | undefined> {
  const content = await readBytes(reading, path, { label, maxBytes: maxFileBytes })
  if (typeof content === 'string') {
    reading.problems.push(sentenceAbout(label, '', content))
    return undefined
  }
  return content.toString('utf8')
}

/** The content of a regular file, or the problem with it. */
export async function readBytes(
  reading: Reading,
  path: string,
  { label, maxBytes }: { label: string; maxBytes: number },
): Promise<Buffer | string> {
  await mark(reading, path)
  try {
    // Checked before opening: opening a pipe blocks until a writer connects.
    if (!(await stat(path)).isFile()) return 'is not a file'
    const file = await open(path, 'r')
    try {
      if ((await file.stat()).size > maxBytes) return `is larger than ${maxBytes / 1024} KB`
      const content = await file.readFile()
      reading.digests.set(label, createHash('sha256').update(content).digest('hex'))
      return content
    } finally {
      await file.close()
    }
  } catch (error) {
    return readProblem(error)
  }
}

/** The real path of a catalog path. Returns undefined and records a problem if it cannot be used. */
export async function findInside(
  reading: Reading,
  folder: CatalogFolder,
  given: string,
  at: { file: string; key: string },
): Promise<string | undefined> {
  try {
    return await resolveInside(folder.path, given)
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error
    if (error.problem === 'missing') await mark(reading, join(folder.path, given))
    reading.problems.push(sentenceAbout(at.file, at.key, error.message))
    return undefined
  }
}
